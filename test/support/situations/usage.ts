// Calls that are wrong: exit code 2.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Situation, usage } from "./situation.ts";

/** Flags, prompts and input that are wrong. */
export const USAGE: readonly Situation[] = [
  usage("an unknown flag", ["--jsno2", "go"]),
  usage("a flag close to a known one", ["--no-stdim", "go"]),
  usage("a flag without its value", ["--model"]),
  usage("a switch with a value", ["--continue=yes", "go"]),
  usage("a number that is none", ["--max-turns=many", "go"]),
  usage("a number below one", ["--max-turns=0", "go"]),
  usage("a duration that is none", ["--deadline=soon", "go"]),
  usage("a flag given twice", ["--model=a", "--model=b", "go"]),
  usage("a flag of another command", ["--pipe", "go"]),
  usage("a mistyped command", ["inti"]),
  usage("an empty prompt", [""]),
  usage("a prompt of blanks", ["   "]),
  usage("no prompt and nothing on stdin", []),
  usage("an empty stdin as the prompt", [], { stdin: "" }),
  usage("a binary stdin", ["go"], { stdin: new Uint8Array([0x61, 0, 0x62]) }),
  usage("a stdin that is not UTF-8", ["go"], { stdin: new Uint8Array([0x61, 0xff, 0x62]) }),
  usage("a stdin of more than 10 MiB", ["go"], { stdin: "x".repeat(10 * 1024 * 1024 + 1) }),
  usage("an unknown session", ["--session=20200101-000000-00000000", "go"]),
  usage("a session id that is none", ["--session=../../etc/passwd", "go"]),
  usage("going on with nothing", ["--continue", "go"]),
  usage("two sessions at once", ["--continue", "--session=20200101-000000-00000000", "go"]),
  usage("an unknown level", ["--level=high", "go"]),
  usage("permissions that exclude each other", ["--allow-net", "--deny-net", "go"]),
  usage("a readable tree that is not there", ["--allow-read=nowhere", "go"]),
  usage("a flag that would lift an argument rule", ["--allow-run=ls,make: unrestricted", "go"]),
  usage("a list that is none", ["--allow-run=/bin/ls", "go"]),
  usage("a recording that is not there", ["--replay=nowhere", "go"]),
  usage("a recording that is none", ["--replay=notes", "go"], {
    prepare: (place) => writeFileSync(join(place.folder, "notes"), "not a recording\n"),
  }),
];
