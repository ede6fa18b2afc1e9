// The entry. What needs no work is answered at once; everything else is loaded only then.
import { version } from "../package.json";
import { JAIL_WORD, PROBE_WORD } from "./exec/jail-word.ts";
import { writeAtOnce } from "./host/atonce.ts";
import { rootHelp } from "./roothelp.ts";

const argv = process.argv.slice(2);
const [only] = argv;

/** What can be said at once, or null. */
function shortAnswer(): string | null {
  if (argv.length !== 1) return null;
  if (only === "--version" || only === "-V") return `ash ${version}\n`;
  return only === "--help" || only === "-h" ? `${rootHelp(process.stdout.columns)}\n` : null;
}

if (only === JAIL_WORD) {
  const { runJail } = await import("./exec/jail-child.ts");
  runJail(argv[1] ?? "", argv[2] ?? "");
} else if (only === PROBE_WORD) {
  const { runProbe } = await import("./exec/probe-child.ts");
  runProbe(argv[1] ?? "");
} else {
  const short = shortAnswer();
  // When it cannot be written, the long way says why.
  if (short === null || !writeAtOnce(short)) {
    const { run } = await import("./run.ts");
    process.exitCode = await run(argv);
  }
}
