// The tool `run_unix_pipeline`: input → Action. It plans and touches nothing.
import type { ToolDefinition } from "../provider.ts";
import { check, PipelineInputSchema } from "../schema.ts";
import type { Plan } from "./command.ts";

/** The name the model calls. */
export const PIPELINE_TOOL = "run_unix_pipeline";

/** The tool as the model sees it. */
export const pipelineTool: ToolDefinition = {
  name: PIPELINE_TOOL,
  description:
    "Run 2 to 16 allowed programs, each reading what the one before it wrote. There is no shell: each stage is a " +
    "bare program name and its arguments exactly as written. The result has the last stage's output and every " +
    "stage's status and error output.",
  input_schema: {
    type: "object",
    properties: {
      stages: {
        type: "array",
        minItems: 2,
        maxItems: 16,
        items: {
          type: "object",
          properties: {
            command: { type: "string", description: "bare program name" },
            args: { type: "array", items: { type: "string" }, description: "arguments, one item each" },
          },
          required: ["command"],
          additionalProperties: false,
        },
      },
    },
    required: ["stages"],
    additionalProperties: false,
  },
};

/** Plans one call of the tool. */
export function planPipeline(input: unknown): Plan {
  const parsed = check(PipelineInputSchema, input);
  if (parsed.ok) return { ok: true, action: { stages: parsed.value.stages } };
  const example = '{"stages": [{"command": "ls", "args": ["-l"]}, {"command": "wc", "args": ["-l"]}]}';
  return { ok: false, problem: `${parsed.problem}; a pipeline has 2 to 16 stages: ${example}` };
}
