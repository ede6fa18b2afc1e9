// Runs ash on a terminal of a given size, the way a person sees it; and lines of shell, the way scripts call it.
import { ASH, environmentOf, type Place } from "./ash.ts";

/** How to run on a terminal. */
export type TerminalOptions = {
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** What the person types, each piece when its text has appeared. */
  readonly typed?: readonly (readonly [when: string, keys: string])[];
};

/** What a person saw. */
export type Seen = { readonly code: number | null; readonly screen: string };

/** Runs ash on a terminal and returns what it showed: stdout and stderr together, line ends as LF. */
export async function onTerminal(
  place: Place,
  args: readonly string[],
  options: TerminalOptions = {},
): Promise<Seen> {
  const waiting = [...(options.typed ?? [])];
  const decoder = new TextDecoder();
  const drained = Promise.withResolvers<void>();
  let screen = "";
  const run = Bun.spawn([ASH, ...args], {
    cwd: place.folder,
    env: environmentOf(place, { TERM: "xterm-256color", ...options.env }),
    terminal: {
      cols: options.columns ?? 80,
      rows: 24,
      data(terminal, chunk) {
        screen += decoder.decode(chunk, { stream: true });
        const [next] = waiting;
        if (next === undefined || !screen.includes(next[0])) return;
        waiting.shift();
        terminal.write(next[1]);
      },
      exit: () => drained.resolve(),
    },
  });
  const code = await run.exited;
  await drained.promise;
  run.terminal?.close();
  return { code, screen: screen.replaceAll("\r\n", "\n") };
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
