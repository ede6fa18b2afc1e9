// Opens the provider of a run: a server, or a recording; and the recorder around it when asked.
import type { Config } from "../config.ts";
import { type AshError, systemCode, usageError } from "../errors.ts";
import { assetBytes } from "../host/assets.ts";
import { readText, replaceFile } from "../host/files.ts";
import type { Provider } from "../provider.ts";
import { parseRecording, playRecording, recordReplies } from "./script.ts";
import { chooseConnection } from "./select.ts";

/** The recording that comes with ash. */
const DEMO = "demo";

/** A provider, and what must happen when the run is over. */
export type OpenProvider = { readonly provider: Provider; readonly close: () => void };

/** What the command line says about recordings. */
export type Recordings = { readonly replay: string | undefined; readonly record: string | undefined };

const fileProblem = (flag: string, path: string, thrown: unknown): AshError =>
  usageError(`--${flag}: ${path}: ${systemCode(thrown) ?? String(thrown)}`);

function replayProvider(path: string): Provider {
  if (path === DEMO) {
    const text = new TextDecoder().decode(assetBytes("bootstrap/demo.jsonl"));
    return playRecording(parseRecording(text, "the embedded demo"));
  }
  let text: string;
  try {
    text = readText(path);
  } catch (thrown) {
    throw fileProblem("replay", path, thrown);
  }
  return playRecording(parseRecording(text, path));
}

async function serverProvider(config: Config): Promise<Provider> {
  const connection = chooseConnection(config);
  // The SDK is a third of ash's start; a replay, and every command without a model, does without it.
  const { connect } = await import("./messages.ts");
  return connect(connection);
}

/** Opens the provider. Throws a usage, configuration or credentials error. */
export async function openProvider(config: Config, { replay, record }: Recordings): Promise<OpenProvider> {
  const inner = replay === undefined ? await serverProvider(config) : replayProvider(replay);
  if (record === undefined) return { provider: inner, close() {} };
  const recorder = recordReplies(inner, config.redact);
  const write = (): void => {
    try {
      replaceFile(record, recorder.text(), 0o600);
    } catch (thrown) {
      throw fileProblem("record", record, thrown);
    }
  };
  // A place that cannot be written is better known before the first paid request.
  write();
  return { provider: recorder.provider, close: write };
}
