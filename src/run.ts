// From argv to the exit code: parses, opens the host, hands over to one command, and reports what nobody caught.

import { version } from "../package.json";
import {
  hasFlag,
  type Invocation,
  namedCommand,
  type OutputMode,
  outputMode,
  parseArgv,
  settingText,
} from "./argv.ts";
import { ask } from "./commands/ask.ts";
import { loadConfig } from "./config.ts";
import { EXIT, toAshError, usageError } from "./errors.ts";
import { type Host, openHost } from "./host/host.ts";
import { hideMemory } from "./host/native.ts";
import { createRedactor } from "./redact.ts";
import { createRenderer } from "./render.ts";
import { errorResult, stopError } from "./result.ts";
import { commandSpec } from "./spec.ts";

async function printHelp(topics: readonly string[], host: Host): Promise<number> {
  const { helpText } = await import("./commands/help.ts");
  await host.stdout.write(`${await helpText(topics)}\n`);
  return EXIT.ok;
}

async function dispatch(invocation: Invocation, mode: OutputMode, host: Host): Promise<number> {
  const { command, words } = invocation;
  if (hasFlag(invocation, "help")) return printHelp(invocation.named ? [command] : [], host);
  if (hasFlag(invocation, "version")) {
    await host.stdout.write(
      mode === "text" ? `ash ${version}\n` : `${JSON.stringify({ version, bun: Bun.version })}\n`,
    );
    return EXIT.ok;
  }
  if (command === "help") return printHelp(words, host);
  if (!commandSpec(command).built) {
    throw usageError(
      `ash ${command} is not built yet`,
      `to ask the model about it: ash -- ${[command, ...words].join(" ")}`,
    );
  }
  const config = loadConfig((name) => settingText(invocation, name));
  if (command === "init") return (await import("./commands/init.ts")).init(invocation, config, host, mode);
  if (command === "tools") return (await import("./commands/tools.ts")).tools(invocation, config, host, mode);
  if (command === "models")
    return (await import("./commands/models.ts")).models(invocation, config, host, mode);
  if (command === "run") return (await import("./commands/run.ts")).run(invocation, config, host, mode);
  if (command === "policy")
    return (await import("./commands/policy.ts")).policyCommand(invocation, config, host, mode);
  return ask(invocation, config, host, mode);
}

/** Runs ash. Resolves to the exit code; never rejects. */
export async function run(argv: readonly string[]): Promise<number> {
  const host = openHost();
  // No tool of the same user may read the key out of this process.
  hideMemory();
  const mode = outputMode(argv);
  try {
    return await dispatch(parseArgv(argv), mode, host);
  } catch (thrown) {
    const cause = host.stop.cause();
    const error = cause === null ? toAshError(thrown) : stopError(cause);
    if (namedCommand(argv) === "models")
      return (await import("./commands/models.ts")).modelsFailed(error, host, mode);
    const result = errorResult(error, { durationMs: host.elapsed() });
    host.stop.surrender();
    await createRenderer(host, { mode, colour: false, redact: createRedactor([]) }).finish(result);
    return result.exit_code;
  }
}
