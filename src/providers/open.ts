// Opens the provider of a run: a server, or a recording; and the recorder around it when asked.
import type { Config } from "../config.ts";
import { type AshError, toAshError } from "../errors.ts";
import { assetBytes } from "../host/assets.ts";
import { type NamedFile, writeTarget } from "../host/outfile.ts";
import type { Provider } from "../provider.ts";
import { readTextFile } from "../question.ts";
import { parseRecording, playRecording, recordReplies } from "./script.ts";
import { chooseConnection } from "./select.ts";

/** The recording that comes with ash. */
const DEMO = "demo";

/** A provider, and what must happen when the run is over: null, or why its recording could not be written. */
export type OpenProvider = { readonly provider: Provider; readonly close: () => AshError | null };

/** What the command line says about recordings. */
export type Recordings = { readonly replay: string | undefined; readonly record: NamedFile | null };

async function replayProvider(path: string, signal: AbortSignal): Promise<Provider> {
  if (path === DEMO) {
    const text = new TextDecoder().decode(assetBytes("bootstrap/demo.jsonl"));
    return playRecording(parseRecording(text, "the embedded demo"));
  }
  const text = await readTextFile(path, `--replay ${path}`, signal);
  return playRecording(parseRecording(text, path));
}

async function serverProvider(config: Config): Promise<Provider> {
  const connection = chooseConnection(config);
  // The SDK is a third of ash's start; a replay, and every command without a model, does without it.
  const { connect } = await import("./messages.ts");
  return connect(connection);
}

/** Opens the provider. Throws a usage, configuration or credentials error. */
export async function openProvider(
  config: Config,
  { replay, record }: Recordings,
  signal: AbortSignal,
): Promise<OpenProvider> {
  const inner = replay === undefined ? await serverProvider(config) : await replayProvider(replay, signal);
  if (record === null) return { provider: inner, close: () => null };
  const recorder = recordReplies(inner, config.redact);
  return {
    provider: recorder.provider,
    close() {
      try {
        writeTarget(record, recorder.text());
        return null;
      } catch (thrown) {
        return toAshError(thrown);
      }
    },
  };
}
