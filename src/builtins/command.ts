// The tool `run_unix_command`: input → Action. It plans and touches nothing.
import type { Action } from "../policy/policy.ts";
import type { ToolDefinition } from "../provider.ts";
import { CommandInputSchema, check } from "../schema.ts";

/** What a call wants done, or what is wrong with its input. */
export type Plan =
  | { readonly ok: true; readonly action: Action }
  | { readonly ok: false; readonly problem: string };

/** The name the model calls. */
export const COMMAND_TOOL = "run_unix_command";

/** The tool as the model sees it. */
export const commandTool: ToolDefinition = {
  name: COMMAND_TOOL,
  description:
    "Run one allowed program. There is no shell: every argument reaches the program exactly as written, with no " +
    "quoting, globbing, variables, pipes or redirection. Put the bare program name in command and each argument " +
    "as its own item of args. Python tools are called by file name, such as wikipedia.py; --ai-docs explains one.",
  input_schema: {
    type: "object",
    properties: {
      command: { type: "string", description: "bare program name, without a path or arguments" },
      args: { type: "array", items: { type: "string" }, description: "arguments, one item each" },
    },
    required: ["command"],
    additionalProperties: false,
  },
};

/** Plans one call of the tool. */
export function planCommand(input: unknown): Plan {
  const parsed = check(CommandInputSchema, input);
  if (parsed.ok) return { ok: true, action: { stages: [parsed.value] } };
  return { ok: false, problem: `${parsed.problem}; write {"command": "ls", "args": ["-l", "/tmp"]}` };
}
