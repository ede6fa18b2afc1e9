// llama.cpp's own server with the smallest model there is, when the packages are installed: see test/fixtures/llama.
import { join } from "node:path";

const FIXTURES = join(import.meta.dir, "../fixtures/llama");

/** What the test needs: a Python that has `xllamacpp`, and a model file; null when nobody named them. */
export type Llama = { readonly python: string; readonly model: string };

/** The Python and the model that ASH_TEST_LLAMA_PYTHON and ASH_TEST_LLAMA_MODEL name. */
export function findLlama(): Llama | null {
  const { ASH_TEST_LLAMA_PYTHON: python, ASH_TEST_LLAMA_MODEL: model } = process.env;
  return python === undefined || model === undefined ? null : { python, model };
}

/** A running server. */
export type LlamaServer = { readonly url: string; stop(): Promise<void> };

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes("\n")) return text.slice(0, text.indexOf("\n"));
  }
  throw new Error(`the server ended before it listened: ${text}`);
}

/** Starts the server and waits until it says that it is well. */
export async function startLlama({ python, model }: Llama, key: string): Promise<LlamaServer> {
  const command = [python, join(FIXTURES, "server.py"), model, join(FIXTURES, "tools.jinja"), key];
  const running = Bun.spawn(command, { stdin: "pipe", stdout: "pipe", stderr: "ignore" });
  const { url } = JSON.parse(await firstLine(running.stdout)) as { url: string };
  while (!(await fetch(`${url}/health`)).ok) {
    // It answers 503 while the model is being loaded; every answer is the event to wait for.
  }
  return {
    url,
    async stop() {
      running.stdin.end();
      await running.exited;
    },
  };
}
