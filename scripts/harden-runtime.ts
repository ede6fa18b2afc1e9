// Copies the Bun runtime and makes it deaf to the environment variables that would turn a compiled ash into
// something else. An environment name cannot hold NUL, so a name that starts with NUL is never found.
import { chmodSync, readFileSync, writeFileSync } from "node:fs";

const SWITCHES = ["BUN_BE_BUN", "BUN_OPTIONS", "BUN_CONFIG_VERBOSE_FETCH"];

/** Overwrites the first byte of every occurrence of `name`; returns how many there were. */
function blank(image: Buffer, name: string): number {
  let count = 0;
  for (let at = image.indexOf(name); at >= 0; at = image.indexOf(name, at + name.length)) {
    image[at] = 0;
    count += 1;
  }
  return count;
}

const [source, target] = process.argv.slice(2);
if (source === undefined || target === undefined) throw new Error("usage: harden-runtime.ts SOURCE TARGET");
const image = readFileSync(source);
for (const name of SWITCHES) {
  if (blank(image, name) === 0) throw new Error(`${source} does not know ${name}: check this Bun by hand`);
}
writeFileSync(target, image);
chmodSync(target, 0o755);
