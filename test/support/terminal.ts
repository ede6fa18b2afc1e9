// Runs ash on a terminal of a given size, the way a person sees it; and lines of shell, the way scripts call it.
import { ASH, environmentOf, type Place } from "./ash.ts";
import { PYTHON } from "./pythontool.ts";

/** A text to wait for, and what is typed, or done to the process, when it is on the screen. */
export type Keys = readonly [when: string, keys: string | ((pid: number) => void)];

/** How to run on a terminal. */
export type TerminalOptions = {
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** What the person types, one after another; each text is looked for after the one before it. */
  readonly typed?: readonly Keys[];
};

/** What a person saw. */
export type Seen = {
  readonly code: number | null;
  /** stdout and stderr together with what was typed; line ends as LF. */
  readonly screen: string;
  /** What was never typed because its text did not appear. */
  readonly untyped: readonly Keys[];
};

/** Runs ash on a terminal until it ends, and returns what it showed. */
export async function onTerminal(
  place: Place,
  args: readonly string[],
  options: TerminalOptions = {},
): Promise<Seen> {
  const waiting = [...(options.typed ?? [])];
  const decoder = new TextDecoder();
  const drained = Promise.withResolvers<void>();
  let screen = "";
  let seen = 0;
  const run = Bun.spawn([ASH, ...args], {
    cwd: place.folder,
    // With an interpreter of the user's own nothing is installed on the first run.
    env: environmentOf(place, { TERM: "xterm-256color", ASH_PYTHON: PYTHON, ...options.env }),
    terminal: {
      cols: options.columns ?? 80,
      rows: 24,
      data(terminal, chunk) {
        screen += decoder.decode(chunk, { stream: true });
        for (let [next] = waiting; next !== undefined; [next] = waiting) {
          const at = screen.indexOf(next[0], seen);
          if (at < 0) return;
          seen = at + next[0].length;
          waiting.shift();
          if (typeof next[1] === "string") terminal.write(next[1]);
          else next[1](run.pid);
        }
      },
      exit: () => drained.resolve(),
    },
  });
  const code = await run.exited;
  await drained.promise;
  run.terminal?.close();
  return { code, screen: screen.replaceAll("\r\n", "\n"), untyped: waiting };
}

/** What a line of shell left behind. */
export type ShellRun = { readonly code: number; readonly stdout: string; readonly stderr: string };

/** Runs a line of bash in which $ASH is ash. */
export async function inShell(
  place: Place,
  line: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ShellRun> {
  const run = Bun.spawn(["bash", "-c", line], {
    cwd: place.folder,
    env: environmentOf(place, { ASH, ...env }),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([run.stdout.text(), run.stderr.text(), run.exited]);
  return { code, stdout, stderr };
}
