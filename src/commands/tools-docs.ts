// `ash tools docs NAME`: what the model sees when it asks a tool for its documentation.
import { join } from "node:path";
import { askNobody } from "../approval.ts";
import { AshError, EXIT } from "../errors.ts";
import { workingFolder } from "../host/files.ts";
import { openMachine } from "../machine.ts";
import { perform } from "../perform.ts";
import { noPlan } from "../plan.ts";
import { describeCall, type ToolResult } from "../toolresult.ts";
import {
  onlyWord,
  policyFor,
  print,
  refuseWhenStopped,
  refuseWithoutPython,
  resolveTool,
  shortPath,
  type ToolsContext,
} from "./tools-folder.ts";

async function askForDocs(context: ToolsContext, name: string): Promise<ToolResult> {
  const { config, host, log } = context;
  const folder = workingFolder();
  const policy = policyFor(name, context.policy());
  const action = { stages: [{ command: name, args: ["--ai-docs"] }] };
  const machine = openMachine(config, folder);
  host.onForcedExit(machine.engine.killAll);
  try {
    refuseWithoutPython(machine.world, join(config.home.tools, name));
    const done = await perform(action, {
      ...{ machine, policy, folder, signal: host.stop.signal, tell: log.warn },
      remainingMs: config.settings.deadline,
      approve: askNobody,
      plan: noPlan,
      onStart: () => undefined,
    });
    if (done.verdict !== "allow") throw new AshError("denied", done.reason);
    return describeCall(done.call, action, done.limits, config.redact);
  } finally {
    await machine.engine.close();
  }
}

/** Runs `ash tools docs`. Resolves to 0; throws tool_failed when the tool does. */
export async function toolsDocs(context: ToolsContext, words: readonly string[]): Promise<number> {
  const { config, host, mode, log } = context;
  const name = resolveTool(config, onlyWord(words, "ash tools docs NAME"));
  const isAllowed = context.policy().entries.has(name);
  if (!isAllowed) {
    log.warn(
      `the model may not run ${name}: add the line ${name} to ${shortPath(config, config.home.allowlist)}`,
    );
  }
  const result = await askForDocs(context, name);
  refuseWhenStopped(context);
  if (result.error !== null) {
    if (mode === "text") {
      await host.stdout.write(result.stdout);
      await host.stderr.write(result.stderr);
    }
    throw new AshError("tool_failed", result.error, {
      hint: `see: ash tools check ${name.replace(/\.py$/, "")}`,
    });
  }
  if (result.truncated)
    log.warn(`${result.stdout_bytes} bytes are too much: the model sees this much of them`);
  const text = result.stdout === "" || result.stdout.endsWith("\n") ? result.stdout : `${result.stdout}\n`;
  await print(context, text, {
    schema: "ash.tools.docs/1",
    name,
    allowlisted: isAllowed,
    docs: result.stdout,
    bytes: result.stdout_bytes,
    truncated: result.truncated,
  });
  return EXIT.ok;
}
