// A request in ash's words → the body the Messages API takes. Only fields the preset takes are sent.
import type { ModelRequest } from "../provider.ts";
import { type Message, type ReplyBlock, type TextBlock, type ToolAnswer, wellFormed } from "../transcript.ts";
import type { Preset } from "./presets.ts";

type Block = TextBlock | ToolAnswer | ReplyBlock;

function wireBlock(block: Block, keepServerBlocks: boolean): readonly Wire[] {
  switch (block.type) {
    case "text":
      return block.text.trim() === "" ? [] : [{ type: "text", text: block.text }];
    case "tool_use":
      return [{ type: "tool_use", id: block.id, name: block.name, input: block.input }];
    case "tool_result":
      return [
        {
          type: "tool_result",
          tool_use_id: block.id,
          content: block.content,
          ...(block.isError ? { is_error: true } : {}),
        },
      ];
    case "server":
      return keepServerBlocks ? [block.block] : [];
  }
}

/** A JSON object on its way to the server. */
export type Wire = Readonly<Record<string, unknown>>;

function wireMessage(message: Message, preset: Preset, model: string): Wire | null {
  const keep = message.role === "assistant" && preset.thinking && message.model === model;
  const blocks: readonly Block[] = message.content;
  const content = blocks.flatMap((block) => wireBlock(block, keep));
  if (content.length === 0) return null;
  return { role: message.role, content };
}

/** Models that take an effort; older ones refuse the field. */
const HAS_EFFORT = /^claude-(sonnet-5-5|opus-5-5|haiku-5-5|fable-5-2)$/;

function outputConfig({ format }: ModelRequest, preset: Preset, model: string): Wire {
  const config = {
    ...(preset.thinking && HAS_EFFORT.test(model) ? { effort: "medium" } : {}),
    ...(preset.answerFormat && format ? { format: { type: "json_schema", schema: format.schema } } : {}),
  };
  return Object.keys(config).length === 0 ? {} : { output_config: config };
}

/** Builds the body of one streaming request. */
export function requestBody(request: ModelRequest, preset: Preset, model: string): Wire {
  const messages = request.transcript.flatMap((message) => wireMessage(message, preset, model) ?? []);
  const body = {
    model,
    max_tokens: Math.min(preset.maxOutputTokens, request.maxOutputTokens ?? preset.maxOutputTokens),
    stream: true,
    system: request.system,
    messages,
    tools: request.tools,
    ...(preset.toolChoice ? { tool_choice: { type: request.toolChoice } } : {}),
    ...(preset.cache ? { cache_control: { type: "ephemeral" } } : {}),
    ...outputConfig(request, preset, model),
  };
  return wellFormed(body);
}
