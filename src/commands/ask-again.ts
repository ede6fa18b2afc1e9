// Shows the answer kept for --only-if-changed as the run would that gave it.
import type { Found } from "../answers.ts";
import type { EventSink } from "../events.ts";
import type { Provider } from "../provider.ts";
import { startEvent } from "../render.ts";
import type { Result } from "../schema.ts";

/** What is known of the run that is not needed. */
export type NotNeeded = {
  readonly found: Found | null;
  readonly provider: Provider;
  readonly folder: string;
};

/** Tells about the kept answer and returns it; null when there is none. */
export function showAgain(
  { found, provider, folder }: NotNeeded,
  renderer: { readonly event: EventSink },
  warn: (type: string, message: string) => void,
): Result | null {
  const answer = found?.answer ?? null;
  if (answer === null) return null;
  const { at, result } = answer;
  const { session_id, model, sandbox } = result;
  renderer.event(startEvent({ session_id, model, provider: provider.name, cwd: folder, sandbox }));
  warn("answer_again", `nothing that is asked has changed: this is the answer of ${at}, no request was made`);
  if (result.result !== null) {
    renderer.event({ type: "message", text: result.result, part: 1, parts: 1 });
  }
  return result;
}
