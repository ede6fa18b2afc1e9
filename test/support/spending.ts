// Replies that cost what a test says.
import { calls, type ScriptedReply, type ScriptedUsage } from "./modelserver.ts";

/** A reply with these token counts. */
export const costing = (reply: ScriptedReply, usage: ScriptedUsage): ScriptedReply => ({ ...reply, usage });

/** A reply with these token counts that says something and calls a tool. */
export const looking = (text: string, usage: ScriptedUsage, id = "toolu_1"): ScriptedReply => ({
  content: [{ type: "text", text }, ...calls("echo", ["hi"], id).content],
  stop_reason: "tool_use",
  usage,
});
