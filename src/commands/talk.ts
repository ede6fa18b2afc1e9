// `ash` alone on a terminal: one question after another, each with the limits of a run of its own, all in one session.
import { version } from "../../package.json";
import { flagValue, hasFlag, type Invocation } from "../argv.ts";
import type { Config } from "../config.ts";
import { EXIT, usageError } from "../errors.ts";
import { ensureHome } from "../home.ts";
import { monotonic } from "../host/clock.ts";
import { workingFolder } from "../host/files.ts";
import type { Host } from "../host/host.ts";
import { type LineEditor, openLineEditor } from "../host/lineeditor.ts";
import { openLog } from "../log.ts";
import { type Machine, openMachine, openMachineWorld } from "../machine.ts";
import { describeConnection } from "../providers/describe.ts";
import { stopError } from "../result.ts";
import type { Result } from "../schema.ts";
import { openSession, type Session, saidIn } from "../session.ts";
import { type Message, repairTranscript } from "../transcript.ts";
import { answer } from "./ask.ts";
import { sessionChoice } from "./ask-prepare.ts";
import { setUpPython } from "./firstrun.ts";

/** What makes sense for one answer only. */
const FOR_ONE_ANSWER = ["output", "schema", "plan", "approve-plan", "only-if-changed", "record"];

const LEAVE = /^\s*(?:exit|quit)\s*$/;

/** The host of one answer: Ctrl-C ends the answer, and only another signal ends ash. */
function hostOfAnswer(outer: Host, interrupt: AbortSignal): Host {
  const began = monotonic();
  return {
    ...outer,
    stop: {
      ...outer.stop,
      signal: AbortSignal.any([outer.stop.signal, interrupt]),
      cause: () => outer.stop.cause() ?? (interrupt.aborted ? "SIGINT" : null),
      surrender() {},
    },
    elapsed: () => monotonic() - began,
    // The machine is that of the whole conversation.
    onForcedExit() {},
  };
}

/** A session that also keeps in memory what is said: a conversation goes on where nothing can be saved, too. */
function remembering(session: Session, said: Message[]): Session {
  return {
    ...session,
    append(entry) {
      if (entry.type === "message") said.push(entry.message);
      session.append(entry);
    },
  };
}

type Talk = {
  readonly invocation: Invocation;
  readonly config: Config;
  readonly host: Host;
  readonly machine: Machine;
  readonly folder: string;
};

class Conversation {
  private isFirst = true;

  constructor(
    private readonly talk: Talk,
    private session: Session,
  ) {}

  /** Answers one question; what goes wrong with it is shown and ends nothing. */
  async answer(prompt: string): Promise<void> {
    const { invocation, config, host, machine, folder } = this.talk;
    const interrupt = new AbortController();
    const restore = host.stop.divert(() => interrupt.abort());
    const said: Message[] = [];
    let result: Result | null = null;
    // What is worth knowing once is told with the first answer.
    const told = this.isFirst
      ? { config, machine }
      : { config: { ...config, warnings: [] }, machine: { ...machine, weaknesses: [] } };
    this.isFirst = false;
    try {
      ({ result } = await answer({
        invocation,
        config: told.config,
        host: hostOfAnswer(host, interrupt.signal),
        mode: "text",
        given: {
          question: { prompt, context: null, files: [] },
          // Tools are looked for anew: the person may just have written one.
          machine: { ...told.machine, world: openMachineWorld(config, folder) },
          session: remembering(this.session, said),
        },
      }));
    } finally {
      restore();
    }
    this.session = this.session.goOn(repairTranscript([...this.session.history, ...saidIn(said, result)]));
  }
}

async function converse(conversation: Conversation, editor: LineEditor, host: Host): Promise<void> {
  for (;;) {
    const typed = await editor.read(host.stop.signal);
    if (typed.kind !== "text" || LEAVE.test(typed.text)) await host.stderr.write("\n");
    if (typed.kind === "end" || (typed.kind === "text" && LEAVE.test(typed.text))) return;
    if (typed.kind === "text" && typed.text.trim() !== "") await conversation.answer(typed.text.trim());
    if (host.stop.signal.aborted) return;
  }
}

function refuseForOneAnswer(invocation: Invocation): void {
  const flag = FOR_ONE_ANSWER.find((name) => hasFlag(invocation, name));
  if (flag !== undefined) throw usageError(`--${flag} needs a prompt`, `write: ash --${flag} … 'a question'`);
}

/** The model that will answer, and how to leave. Throws what would keep every question from being answered. */
function greeting(invocation: Invocation, config: Config): string {
  const how = "Ctrl-C stops an answer, Ctrl-D or exit ends";
  const replay = flagValue(invocation, "replay");
  if (replay !== undefined) return `ash ${version}, a recording (${replay}); ${how}`;
  const { model, provider, problem } = describeConnection(config);
  if (problem !== null) throw problem;
  return `ash ${version}, ${model} (${provider}); ${how}`;
}

/** Talks to a person. Resolves to 0, or the code of the signal or the closed stdout that ended it. */
export async function talk(invocation: Invocation, config: Config, host: Host): Promise<number> {
  refuseForOneAnswer(invocation);
  const hello = greeting(invocation, config);
  const folder = workingFolder();
  const log = openLog(host.stderr);
  const session = openSession(config.home, sessionChoice(invocation), {
    warn: (message) => log.warn(message),
    redact: config.redact,
  });
  await setUpPython(invocation, config, host, ensureHome(config.home));
  const machine = openMachine(config, folder);
  host.onForcedExit(machine.engine.killAll);
  try {
    await host.stderr.write(`${hello}\n`);
    const conversation = new Conversation({ invocation, config, host, machine, folder }, session);
    await converse(conversation, openLineEditor("ash> "), host);
  } finally {
    await machine.engine.close();
  }
  if (host.stdout.closed()) return EXIT.brokenPipe;
  const cause = host.stop.cause();
  return cause === null ? EXIT.ok : stopError(cause).exitCode;
}
