// Runs the compiled binary on a pseudo-terminal, as a person does: waits for a text, types, and reads what is shown.
import { ASH, environmentOf, type Place } from "./ash.ts";
import { PYTHON } from "./pythontool.ts";

const DRIVER = `
import json, os, pty, sys
job = json.load(sys.stdin)
pid, terminal = pty.fork()
if pid == 0:
    os.chdir(job["folder"])
    os.execve(job["argv"][0], job["argv"], job["env"])
shown, typed, start = b"", 0, 0
keys = job["keys"]
while True:
    try:
        chunk = os.read(terminal, 65536)
    except OSError:
        break
    if not chunk:
        break
    shown += chunk
    while typed < len(keys):
        at = shown.find(keys[typed]["until"].encode(), start)
        if at < 0:
            break
        start = at + len(keys[typed]["until"].encode())
        os.write(terminal, keys[typed]["type"].encode())
        typed += 1
code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
json.dump({"code": code, "shown": shown.decode("utf-8", "replace").replace("\\r\\n", "\\n"), "typed": typed == len(keys)}, sys.stdout)
`;

/** What a run on a terminal left behind. */
export type Shown = {
  /** Negative for a signal. */
  readonly code: number;
  /** Everything on the screen, with what was typed. */
  readonly shown: string;
  /** Every text that was waited for did appear. */
  readonly typed: boolean;
};

/** A text to wait for, and what is typed when it is on the screen. */
export type Keys = { readonly until: string; readonly type: string };

/** Runs ash on a terminal and types, one after another, once each awaited text has appeared. */
export async function runOnTerminal(
  place: Place,
  args: readonly string[],
  keys: Keys | readonly Keys[],
  env: Readonly<Record<string, string>> = {},
): Promise<Shown> {
  const job = {
    argv: [ASH, ...args],
    // With an interpreter of the user's own nothing is installed on the first run.
    env: environmentOf(place, { ASH_PYTHON: PYTHON, ...env }),
    folder: place.folder,
    keys: Array.isArray(keys) ? keys : [keys],
  };
  const child = Bun.spawn([PYTHON, "-I", "-c", DRIVER], {
    stdin: new TextEncoder().encode(JSON.stringify(job)),
    stdout: "pipe",
    stderr: "inherit",
  });
  const answer = await new Response(child.stdout).text();
  await child.exited;
  return JSON.parse(answer) as Shown;
}
