// The file a schema is in.
import { describe, expect, test } from "bun:test";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ASH, environmentOf, runAsh } from "../support/ash.ts";
import { says } from "../support/modelserver.ts";
import { KEY, useSchema } from "../support/structured.ts";

const { place, server, ask } = useSchema();

describe("a schema file", () => {
  const deep = `${'{"not":'.repeat(100)}{}${"}".repeat(100)}`;
  const bad = [
    ["that is not JSON", "{type: object}", "it is not JSON"],
    ["that is empty", "", "it is not JSON"],
    ["that is a list", "[]", "an object is expected"],
    ["with an unknown type", { type: "strnig" }, "it is not a JSON Schema: /type"],
    ["with a requirement that is no list", { properties: { a: 1 } }, "/properties/a"],
    ["with a pattern that is none", { pattern: "(" }, 'the pattern "(" is not a regular expression'],
    ["that refers to another file", { $ref: "other.json" }, "it refers to other.json"],
    [
      "that refers to the net",
      { properties: { a: { $ref: "https://example.com/s.json" } } },
      "ash reads nothing but the file",
    ],
    ["that refers to what is not there", { $ref: "#/$defs/x" }, "#/$defs/x is not in it"],
    ["with references that cannot be followed", { $dynamicRef: "#x" }, "$dynamicRef"],
    ["of an unknown dialect", { $schema: "https://example.com/dialect" }, "its $schema is not one ash knows"],
    ["nested without end", deep, "nested more than 64 levels deep"],
    ["that is too big", { description: "x".repeat(300_000) }, "it is longer than 256 KiB"],
  ] as const;

  test.each(bad)("%s is a usage error before anything is asked", async (_, schema, message) => {
    server.start([says("never")]);
    const run = await ask(["--json", "go"], schema);
    expect(run.code).toBe(2);
    expect(run.json().error).toMatchObject({ type: "usage", message: expect.stringContaining(message) });
    expect(run.json().error?.message).toContain("--schema");
    expect(run.stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(server.requests).toHaveLength(0);
  });

  const missing = [
    ["missing", "nowhere.json", "there is no such file"],
    ["a folder", ".", "it is a folder"],
    ["a link in a circle", "loop", "its links lead in a circle"],
    ["a device", "/dev/zero", "it is a device"],
    ["binary", "binary", "a NUL byte at offset 1"],
  ] as const;

  test.each(missing)("that is %s is a usage error", async (_, path, message) => {
    server.start([says("never")]);
    symlinkSync("loop", join(place.folder, "loop"));
    writeFileSync(join(place.folder, "binary"), "{\0}");
    const run = await runAsh(place, ["--json", "--base-url", server.url, "--schema", path, "go"], {
      env: KEY,
    });
    expect(run.code).toBe(2);
    expect(run.json().error?.message).toContain(message);
  });

  test("may come from a process substitution", async () => {
    server.start([says("7")]);
    const process = Bun.spawn(
      ["bash", "-c", `"$ASH" --base-url "$URL" --schema <(echo '{"type": "integer"}') go`],
      { cwd: place.folder, env: environmentOf(place, { ...KEY, ASH, URL: server.url }), stdout: "pipe" },
    );
    expect(await process.stdout.text()).toBe("7\n");
  });

  test.each([
    ["http://json-schema.org/draft-07/schema#", "definitions"],
    ["https://json-schema.org/draft/2020-12/schema", "$defs"],
  ])("of %s with references inside is followed", async ($schema, place) => {
    const schema = {
      $schema,
      [place]: { n: { type: "integer", exclusiveMinimum: 1 } },
      $ref: `#/${place}/n`,
    };
    server.start([says("1"), says("2")]);
    expect(await ask(["go"], schema)).toMatchObject({ code: 0, stdout: "2\n" });
    expect(server.requests).toHaveLength(2);
  });
});
