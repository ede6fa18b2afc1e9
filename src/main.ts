// The entry. What needs no work is answered at once; everything else is loaded only then.
import { version } from "../package.json";
import { JAIL_WORD, PROBE_WORD } from "./exec/jail-word.ts";
import { mayHaveWidth, writeAtOnce } from "./host/atonce.ts";
import { rootHelp } from "./roothelp.ts";

const argv = process.argv.slice(2);
const [only] = argv;

/** What can be said at once, or null: a terminal has a width, which takes more to find out. */
async function shortAnswer(): Promise<string | null> {
  if (argv.length !== 1) return null;
  if (only === "--version" || only === "-V") return `ash ${version}\n`;
  if (only !== "--help" && only !== "-h") return null;
  return (await mayHaveWidth()) ? null : `${rootHelp()}\n`;
}

if (only === JAIL_WORD) {
  const { runJail } = await import("./exec/jail-child.ts");
  runJail(argv[1] ?? "", argv[2] ?? "");
} else if (only === PROBE_WORD) {
  const { runProbe } = await import("./exec/probe-child.ts");
  runProbe(argv[1] ?? "");
} else {
  const short = await shortAnswer();
  // When it cannot be written, the long way says why.
  if (short === null || !(await writeAtOnce(short))) {
    const { run } = await import("./run.ts");
    process.exitCode = await run(argv);
  }
}
