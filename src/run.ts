// From argv to the exit code: parses, opens the host, hands over to one command, and reports what nobody caught.

import { version } from "../package.json";
import {
  flagValue,
  hasFlag,
  type Invocation,
  namedCommand,
  type OutputMode,
  outputFile,
  outputMode,
  parseArgv,
  settingText,
} from "./argv.ts";
import { ask } from "./commands/ask.ts";
import { loadConfig } from "./config.ts";
import { openDelivery } from "./delivery.ts";
import { configError, EXIT, toAshError, usageError } from "./errors.ts";
import { type Host, openHost } from "./host/host.ts";
import { hideMemory } from "./host/native.ts";
import { commandLineBytes } from "./host/system.ts";
import { terminalWidth } from "./host/terminal.ts";
import { openLog } from "./log.ts";
import { answerFile } from "./namedfiles.ts";
import { holdLock } from "./namedlock.ts";
import { isLeftToAsk } from "./question.ts";
import { createRedactor } from "./redact.ts";
import { errorResult, stopError } from "./result.ts";
import { invalidUtf8At } from "./text.ts";

async function printHelp(topics: readonly string[], host: Host, mode: OutputMode): Promise<number> {
  const { helpText } = await import("./commands/help.ts");
  const text = await helpText(topics, terminalWidth(1) ?? undefined);
  const object = { schema: "ash.help/1", topic: topics[0] ?? null, text };
  await host.stdout.write(mode === "text" ? `${text}\n` : `${JSON.stringify(object)}\n`);
  return EXIT.ok;
}

async function dispatch(invocation: Invocation, mode: OutputMode, host: Host): Promise<number> {
  const { command, words } = invocation;
  if (hasFlag(invocation, "help")) return printHelp(invocation.named ? [command] : [], host, mode);
  if (hasFlag(invocation, "version")) {
    await host.stdout.write(
      mode === "text"
        ? `ash ${version}\n`
        : `${JSON.stringify({ schema: "ash.version/1", version, bun: Bun.version })}\n`,
    );
    return EXIT.ok;
  }
  if (command === "help") return printHelp(words, host, mode);
  if (command === "schema") return (await import("./commands/schema.ts")).schema(invocation, host, mode);
  if (command === "completion")
    return (await import("./commands/completion.ts")).completion(invocation, host, mode);
  const flags = (name: string): string | undefined => settingText(invocation, name);
  if (command === "doctor")
    return (await import("./commands/doctor.ts")).doctor(invocation, flags, host, mode);
  const config = loadConfig(flags);
  const lock = flagValue(invocation, "lock");
  // ash config only shows what a run would use: it waits for none.
  if (lock !== undefined && command !== "config") holdLock(config.home, lock);
  if (command === "init") return (await import("./commands/init.ts")).init(invocation, config, host, mode);
  if (command === "tools") return (await import("./commands/tools.ts")).tools(invocation, config, host, mode);
  if (command === "batch") return (await import("./commands/batch.ts")).batch(invocation, config, host, mode);
  if (command === "sessions")
    return (await import("./commands/sessions.ts")).sessions(invocation, config, host, mode);
  if (command === "config")
    return (await import("./commands/config.ts")).config(invocation, config, host, mode);
  if (command === "models")
    return (await import("./commands/models.ts")).models(invocation, config, host, mode);
  if (command === "run") return (await import("./commands/run.ts")).run(invocation, config, host, mode);
  if (command === "policy")
    return (await import("./commands/policy.ts")).policyCommand(invocation, config, host, mode);
  if (mode === "text" && host.stderr.isTerminal && isLeftToAsk(invocation))
    return (await import("./commands/talk.ts")).talk(invocation, config, host);
  return ask(invocation, config, host, mode);
}

const REPLACED = "\ufffd";

/** The runtime replaces bytes that are no text: a prompt would say, and a path name, something else than was meant. */
function refuseBrokenText(argv: readonly string[]): void {
  const broken = argv.find((token) => token.includes(REPLACED));
  if (broken === undefined) return;
  const bytes = commandLineBytes();
  if (bytes !== null && invalidUtf8At(bytes) < 0) return;
  throw usageError(`'${broken}' is not valid UTF-8`, "pass it in a file (-f FILE), or with another name");
}

/** What was printed did not arrive, and nobody closed stdout: that is not the quiet end of a reader. */
async function tellLost(code: string, { stderr }: Host): Promise<number> {
  const error = configError(`stdout cannot be written: ${code}`, "make room there, or send it elsewhere");
  openLog(stderr).error(`${error.message} (${error.details.hint})`);
  await stderr.flush();
  return error.exitCode;
}

/** Runs ash. Resolves to the exit code; never rejects. */
export async function run(argv: readonly string[]): Promise<number> {
  const host = openHost();
  // No tool of the same user may read the key out of this process.
  hideMemory();
  const mode = outputMode(argv);
  let invocation: Invocation | null = null;
  try {
    refuseBrokenText(argv);
    invocation = parseArgv(argv);
    const code = await dispatch(invocation, mode, host);
    const lost = host.stdout.lost();
    if (lost !== null) return await tellLost(lost, host);
    return host.stdout.closed() ? EXIT.brokenPipe : code;
  } catch (thrown) {
    const cause = host.stop.cause();
    const error = cause === null ? toAshError(thrown) : stopError(cause);
    if (namedCommand(argv) === "models")
      return (await import("./commands/models.ts")).modelsFailed(error, host, mode);
    const result = errorResult(error, { durationMs: host.elapsed() });
    host.stop.surrender();
    const options = { mode, colour: false, redact: createRedactor([]) };
    const file = invocation === null ? outputFile(argv) : answerFile(invocation);
    return openDelivery(host, options, file).finish(result);
  }
}
