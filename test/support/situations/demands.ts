// Runs that must do more than answer: schemas, costs, files, plans, locks, and exit codes 7 and 9.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Place } from "../ash.ts";
import { calls, says } from "../modelserver.ts";
import { again, type Situation, served, usage } from "./situation.ts";

const SCHEMA = { type: "object", properties: { free: { type: "number" } }, required: ["free"] };
const put =
  (name: string, content: string) =>
  (place: Place): void =>
    writeFileSync(join(place.folder, name), content);
const withSchema = put("schema.json", JSON.stringify(SCHEMA));

/** What a caller can demand of a run, met and not met. */
export const DEMANDS: readonly Situation[] = [
  served("an answer that fits its schema", [0, "ok", null], [says('{"free": 7}')], {
    args: ["--schema=schema.json", "go"],
    prepare: withSchema,
    result: '{"free": 7}',
  }),
  served("an answer that does not fit its schema", [8, "incomplete", "schema_mismatch"], [says("seven")], {
    args: ["--schema=schema.json", "go"],
    prepare: withSchema,
  }),
  served("a denied call that matters", [7, "error", "denied"], [calls("rm", ["x"]), says("fine")], {
    args: ["--fail-on-denied", "go"],
    result: "fine",
  }),
  served("a failed tool that matters", [9, "error", "tool_failed"], [calls("cat", ["no"]), says("fine")], {
    args: ["--fail-on-tool-error", "go"],
    result: "fine",
  }),
  served("too much money", [6, "limit", "limit"], [...again(1), says("so far")], {
    args: ["--max-cost=0.000001", "--model=opus", "go"],
  }),
  served("a file as the prompt", [0, "ok", null], [says("fine")], {
    args: ["--file=question"],
    prepare: put("question", "what is this?\n"),
    result: "fine",
  }),
  usage("a cost limit without a price", ["--max-cost=1", "--model=nobodys-model", "go"]),
  usage("a cost that is none", ["--max-cost=cheap", "go"]),
  usage("a file that is not there", ["--file=nowhere", "go"]),
  usage("a file that is a folder", ["--file=.", "go"]),
  usage("a file that is not text", ["--file=bytes", "go"], { prepare: put("bytes", "a\0b") }),
  usage("a schema that is not there", ["--schema=nowhere", "go"]),
  usage("a schema that is no JSON", ["--schema=notes", "go"], { prepare: put("notes", "{") }),
  usage("a schema that is none", ["--schema=list", "go"], { prepare: put("list", '{"type": 7}') }),
  usage("an output file that is a folder", ["--output=.", "go"]),
  usage("a plan that is not there", ["--approve-plan=nowhere", "go"]),
  usage("a plan with a line that is no call", ["--approve-plan=plan", "go"], {
    prepare: put("plan", '["ls"]\n"ls"\n'),
  }),
  usage("a plan that is made and approved", ["--plan", "--approve-plan=plan", "go"]),
  usage("a lock with a name that is none", ["--lock=../x", "go"]),
  usage("keeping the answer of a conversation", ["--only-if-changed", "--continue", "go"]),
];
