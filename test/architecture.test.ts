// How the source is built: what may import what, what touches the outside world, and how long files are.
import { describe, expect, test } from "bun:test";
import { dirname, join, relative } from "node:path";
import { codeOf, filesBelow, readSource, SOURCE, type Source } from "./support/source.ts";

/**
 * Which file may import which: a file imports only from lower levels, or from its own folder. A folder stands for
 * every file in it.
 */
const LEVELS: readonly (readonly string[])[] = [
  [
    "errors.ts",
    "layout.ts",
    "limits.ts",
    "lines.ts",
    "suggest.ts",
    "text.ts",
    "secret.ts",
    "sanitize.ts",
    "parallel.ts",
    "flags.ts",
    "toml.ts",
    "transcript.ts",
  ],
  ["spec.ts"],
  [
    "values.ts",
    "redact.ts",
    "argv.ts",
    "schema.ts",
    "roothelp.ts",
    "prompt.ts",
    "providers/presets.ts",
    "providers/proxy.ts",
    "policy",
  ],
  [
    "batchline.ts",
    "batchtally.ts",
    "settings.ts",
    "schema",
    "events.ts",
    "jsonl.ts",
    "prices.ts",
    "provider.ts",
    "providers/connection.ts",
    "providers/stream.ts",
    "host",
  ],
  [
    "settingviews.ts",
    "subcommand.ts",
    "completion",
    "assets.ts",
    "exec",
    "namedfiles.ts",
    "question.ts",
    "reading.ts",
    "plan.ts",
    "answer.ts",
    "jsontext.ts",
    "metaschema.ts",
    "log.ts",
    "builtins",
    "providers/reply.ts",
    "providers/wire.ts",
    "providers/failure.ts",
    "providers/transport.ts",
  ],
  [
    "batchresults.ts",
    "home.ts",
    "jsonschema.ts",
    "toolresult.ts",
    "answerschema.ts",
    "providers/anthropic.ts",
  ],
  ["python", "upgrade.ts", "ledger.ts", "nativeschema.ts", "providers/messages.ts"],
  ["spending.ts", "structured.ts"],
  ["budget.ts", "config.ts", "namedlock.ts", "session.ts", "world.ts"],
  ["accounts.ts", "answers.ts", "machine.ts", "approval.ts"],
  ["perform.ts"],
  ["discovery.ts"],
  ["toolbox.ts"],
  ["asking.ts"],
  [
    "agent.ts",
    "permissions.ts",
    "systemprompt.ts",
    "providers/select.ts",
    "providers/models.ts",
    "providers/script.ts",
  ],
  ["providers/open.ts", "providers/describe.ts", "result.ts"],
  ["effective.ts", "providers/probe.ts"],
  ["render.ts", "reference.ts", "archive.ts"],
  ["delivery.ts", "demands.ts"],
  ["doctor"],
  ["commands"],
  ["run.ts"],
  ["main.ts"],
];

/** Where the outside world may be touched. */
const OUTSIDE = ["host/", "exec/", "python/", "providers/"];
const OUTSIDE_MODULES =
  /^(node:(fs|os|child_process|net|http|https|tty|worker_threads)(\/.*)?|bun:ffi|bun:sqlite)$/;
const OUTSIDE_CALLS =
  /\b(Bun\.(spawn|spawnSync|file|write|serve|listen|connect|stdin|stdout|stderr|\$)|fetch\(|process\.(stdin|stdout|stderr|kill|on|cwd|chdir|env)\b)/;

/** The one file that may import a library, or the one name: `schema` is schema.ts and the folder of that name. */
const LIBRARIES: Readonly<Record<string, string>> = {
  "@anthropic-ai/sdk": "providers/anthropic.ts",
  "@cfworker/json-schema": "answerschema.ts",
  "bun:ffi": "host/native.ts",
  citty: "commands/help.ts",
  consola: "log.ts",
  "eventsource-parser": "providers/stream.ts",
  "smol-toml": "toml.ts",
  valibot: "schema",
  "@valibot/to-json-schema": "jsonschema.ts",
};

const sources = filesBelow(SOURCE).map(readSource);

/** The level of a file, with the entry that gives it. */
function levelOf(name: string): { level: number; entry: string } | undefined {
  const exact = LEVELS.findIndex((entries) => entries.includes(name));
  if (exact >= 0) return { level: exact, entry: name };
  for (let folder = dirname(name); folder !== "."; folder = dirname(folder)) {
    const level = LEVELS.findIndex((entries) => entries.includes(folder));
    if (level >= 0) return { level, entry: folder };
  }
  return undefined;
}

/** Every import of `source` that goes to a file of its own level or above. */
export function upwardImports(source: Pick<Source, "name" | "imports">): readonly string[] {
  const own = levelOf(source.name);
  return source.imports
    .filter((target) => target.startsWith("."))
    .map((target) => relative(SOURCE, join(SOURCE, dirname(source.name), target)))
    .filter((target) => !target.startsWith(".."))
    .filter((target) => {
      const other = levelOf(target);
      if (own === undefined || other === undefined) return true;
      const sameFolder = own.entry === other.entry && own.entry !== source.name;
      return other.level >= own.level && !sameFolder;
    })
    .map((target) => `${source.name} imports ${target}`);
}

describe("the source", () => {
  test("has a level for every file", () => {
    expect(
      sources.filter((source) => levelOf(source.name) === undefined).map((source) => source.name),
    ).toEqual([]);
  });

  test("imports downward only", () => {
    expect(sources.flatMap(upwardImports)).toEqual([]);
  });

  test("touches the outside world only in host, exec, python and providers", () => {
    const inside = sources.filter(
      ({ name }) => !OUTSIDE.some((folder) => name.startsWith(folder)) && name !== "main.ts",
    );
    const found = inside.flatMap(({ name, text, imports }) => [
      ...imports
        .filter((target) => OUTSIDE_MODULES.test(target))
        .map((target) => `${name} imports ${target}`),
      ...(
        OUTSIDE_CALLS.exec(
          name === "config.ts" ? codeOf(text).replaceAll("process.env", "") : codeOf(text),
        ) ?? []
      )
        .slice(0, 1)
        .map((call) => `${name} uses ${call}`),
    ]);
    expect(found).toEqual([]);
  });

  test("reads the environment in config.ts alone", () => {
    const readers = sources
      .filter(({ text }) => /\b(process|Bun)\.env\b/.test(codeOf(text)))
      .map(({ name }) => name);
    expect(readers).toEqual(["config.ts"]);
  });

  test("has one importer for each library", () => {
    const foreign = sources.flatMap(({ name, imports }) =>
      imports
        .filter((target) => !target.startsWith(".") && !target.startsWith("node:"))
        .filter((target) => {
          const library = Object.keys(LIBRARIES).find(
            (known) => target === known || target.startsWith(`${known}/`),
          );
          const owner = library === undefined ? undefined : LIBRARIES[library];
          return owner !== name && owner !== name.replace(/(?:\.ts|\/.*)$/, "");
        })
        .map((target) => `${name} imports ${target}`),
    );
    expect(foreign).toEqual([]);
  });

  test("has no file over 250 lines, and none without its opening comment", () => {
    const long = sources.filter(({ text }) => text.split("\n").length > 251).map(({ name }) => name);
    expect(long).toEqual([]);
    expect(sources.filter(({ text }) => !text.startsWith("// ")).map(({ name }) => name)).toEqual([]);
  });

  test("has no default export, no re-export of everything, no any and no process.exit", () => {
    const pattern = /\bexport default\b|\bexport \*|:\s*any\b|\bas any\b|process\.exit\(/;
    expect(sources.filter(({ text }) => pattern.test(codeOf(text))).map(({ name }) => name)).toEqual([]);
  });

  test("calls no folder or file utils, helpers, manager or common", () => {
    expect(
      sources.filter(({ name }) => /(^|\/)(utils?|helpers?|managers?|common|misc)(\.ts|\/)/.test(name)),
    ).toEqual([]);
  });
});

describe("these checks", () => {
  test("see a forbidden import", () => {
    expect(upwardImports({ name: "limits.ts", imports: ["./agent.ts"] })).toEqual([
      "limits.ts imports agent.ts",
    ]);
    expect(upwardImports({ name: "policy/decide.ts", imports: ["../host/files.ts", "./policy.ts"] })).toEqual(
      ["policy/decide.ts imports host/files.ts"],
    );
    expect(upwardImports({ name: "exec/call.ts", imports: ["./launch.ts", "../limits.ts"] })).toEqual([]);
  });

  test("see a call to the outside", () => {
    expect(OUTSIDE_CALLS.test(codeOf("const a = Bun.spawn([]);"))).toBe(true);
    expect(OUTSIDE_CALLS.test(codeOf('const a = "Bun.spawn"; // Bun.spawn(x)'))).toBe(false);
  });
});
