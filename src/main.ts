// The entry. What needs no work is answered at once; everything else is loaded only then.
import { version } from "../package.json";
import { JAIL_WORD, PROBE_WORD } from "./exec/jail-word.ts";
import { rootHelp } from "./roothelp.ts";

const argv = process.argv.slice(2);
const [only] = argv;
if (argv.length === 1 && (only === "--version" || only === "-V")) console.log(`ash ${version}`);
else if (argv.length === 1 && (only === "--help" || only === "-h"))
  console.log(rootHelp(process.stdout.columns));
else if (only === JAIL_WORD) {
  const { runJail } = await import("./exec/jail-child.ts");
  runJail(argv[1] ?? "", argv[2] ?? "");
} else if (only === PROBE_WORD) {
  const { runProbe } = await import("./exec/probe-child.ts");
  runProbe(argv[1] ?? "");
} else {
  const { run } = await import("./run.ts");
  process.exitCode = await run(argv);
}
