// Replies from a recording instead of a server; the tools they call really run. And the recorder that makes one.
import { AshError } from "../errors.ts";
import { type ModelRequest, type Provider, ProviderError, type Reply, UNKNOWN_USAGE } from "../provider.ts";
import { type Redactor, redactAll } from "../redact.ts";
import { check, RecordedReplySchema, RecordingHeaderSchema } from "../schema.ts";
import { type ReplyBlock, type ToolAnswer, type Transcript, withUniqueIds } from "../transcript.ts";

/** One reply of a recording, and the ids of the results it was an answer to. */
type RecordedReply = { readonly answers: readonly string[]; readonly reply: Reply };

/** A recording, read. */
export type Recording = { readonly model: string; readonly replies: readonly RecordedReply[] };

const malformed = (label: string, line: number, problem: string): AshError =>
  new AshError("usage", `${label}:${line}: ${problem}`, { hint: "write one with: ash --record FILE …" });

function parseLine(text: string, label: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed(label, line, "not JSON");
  }
}

/** Reads a recording. Throws a usage error with the line that is wrong. */
export function parseRecording(text: string, label: string): Recording {
  const lines = text.split("\n").flatMap((line, i) => (line.trim() === "" ? [] : [{ line, number: i + 1 }]));
  const [first, ...rest] = lines;
  if (first === undefined) throw malformed(label, 1, "the recording is empty");
  const header = check(RecordingHeaderSchema, parseLine(first.line, label, first.number));
  if (!header.ok) throw malformed(label, first.number, `not the head of a recording (${header.problem})`);
  const replies = rest.map(({ line, number }): RecordedReply => {
    const parsed = check(RecordedReplySchema, parseLine(line, label, number));
    if (!parsed.ok) throw malformed(label, number, `not a reply (${parsed.problem})`);
    const { answers, content, stop_reason, stop_detail, usage, model } = parsed.value;
    const reply: Reply = {
      content: withUniqueIds(content as readonly ReplyBlock[]),
      stopReason: stop_reason,
      stopDetail: stop_detail ?? null,
      usage: usage ?? UNKNOWN_USAGE,
      model: model ?? header.value.model,
    };
    return { answers, reply };
  });
  return { model: header.value.model, replies };
}

/** Ids of the results a request brings, in order. */
function answersIn(transcript: Transcript): readonly string[] {
  const last = transcript.at(-1);
  if (last?.role !== "user") return [];
  return last.content
    .filter((block): block is ToolAnswer => block.type === "tool_result")
    .map((answer) => answer.id);
}

const mismatch = (message: string): ProviderError =>
  new ProviderError("protocol", message, { hint: "record it again, or check what changed in the calls" });

const count = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`;

/** Plays a recording. A run that asks for more or fewer replies, or answers other calls, is an error. */
export function playRecording(recording: Recording): Provider {
  let next = 0;
  return {
    name: "script",
    model: recording.model,
    async complete(request: ModelRequest, hooks) {
      const recorded = recording.replies[next];
      if (recorded === undefined) {
        throw mismatch(
          `the recording has ${count(recording.replies.length, "reply", "replies")}, but the run asked for one more`,
        );
      }
      const given = answersIn(request.transcript);
      if (given.join("\n") !== recorded.answers.join("\n")) {
        throw mismatch(
          `reply ${next + 1} of the recording answers ${count(recorded.answers.length, "call")} ` +
            `(${recorded.answers.join(", ") || "none"}), but the run brought ${count(given.length, "result")} (${given.join(", ") || "none"})`,
        );
      }
      next += 1;
      for (const block of recorded.reply.content) {
        if (block.type === "text") hooks.onText(block.text);
        if (block.type === "tool_use") hooks.onToolCall();
      }
      return recorded.reply;
    },
    finish() {
      const left = recording.replies.length - next;
      if (left > 0)
        throw mismatch(`the run ended, but the recording has ${count(left, "more reply", "more replies")}`);
    },
  };
}

/** A provider that also writes down what another one replies. */
export type Recorder = { readonly provider: Provider; readonly text: () => string };

/** Wraps a provider so that its replies can be played later. No secret is recorded. */
export function recordReplies(inner: Provider, redact: Redactor): Recorder {
  const lines: string[] = [
    JSON.stringify({ type: "recording", schema: "ash.recording/1", model: inner.model }),
  ];
  const provider: Provider = {
    name: inner.name,
    model: inner.model,
    async complete(request, hooks) {
      const reply = await inner.complete(request, hooks);
      const { content, stopReason, stopDetail, usage, model } = reply;
      const line = {
        type: "reply",
        answers: answersIn(request.transcript),
        content,
        stop_reason: stopReason,
        stop_detail: stopDetail,
        usage,
        model,
      };
      lines.push(JSON.stringify(redactAll(redact, line)));
      return reply;
    },
    finish: () => inner.finish(),
  };
  return { provider, text: () => `${lines.join("\n")}\n` };
}
