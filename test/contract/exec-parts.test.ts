// The parts of the engine on the real system: what a program needs, what the jail may read, control groups, bubblewrap.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { groupsFor, openGroups } from "../../src/exec/cgroup.ts";
import { hiddenPaths, readingGrants } from "../../src/exec/grants.ts";
import { inspectProgram } from "../../src/exec/program.ts";
import { CANARY, furnish } from "../support/cases.ts";
import { LIMITS, openBench, program } from "../support/engine.ts";
import { testWith } from "../support/required.ts";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "ash-parts-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("a program file", () => {
  const put = (name: string, text: string): string => {
    writeFileSync(join(root, name), text, { mode: 0o755 });
    return join(root, name);
  };
  const nowhere = (): null => null;

  test("of the system needs itself and its loader", () => {
    const found = inspectProgram(program("cat"), nowhere);
    expect(found).toMatchObject({ ok: true, direct: true });
    expect(found.ok && found.needs).toEqual([program("cat"), expect.stringMatching(/ld-linux|ld-musl/)]);
  });

  test("that is a script needs its interpreter as well", () => {
    const found = inspectProgram(put("s", "#!/bin/sh -e\necho\n"), nowhere);
    expect(found.ok && found.needs.slice(0, 2)).toEqual([join(root, "s"), "/bin/sh"]);
    expect(found).toMatchObject({ direct: true });
  });

  test("that asks env for its interpreter needs the one that would be found", () => {
    const found = inspectProgram(put("e", "#!/usr/bin/env -S python3 -I\n"), (name) => program(name));
    expect(found).toMatchObject({ ok: true, direct: false });
    expect(found.ok && found.needs).toContain(program("python3"));
  });

  test.each([
    ["text", "hello\n"],
    ["nothing", ""],
    ["a cut ELF", "\x7fELF"],
  ])("of %s is none", (_, text) => {
    expect(inspectProgram(put("x", text), nowhere).ok).toBe(false);
  });
});

describe("what the jail may read", () => {
  const scope = () => {
    const place = { folder: join(root, "work"), home: join(root, "home"), ashHome: join(root, "home/.ash") };
    for (const path of [place.folder, place.home, place.ashHome]) mkdirSync(path, { recursive: true });
    furnish(place);
    return {
      homes: [place.home],
      ashHome: place.ashHome,
      folder: place.folder,
      onlyRead: null,
      neverRead: [],
    };
  };

  test("never reaches a hidden path from above", () => {
    const given = scope();
    const hidden = hiddenPaths(given);
    expect(hidden).toContain(join(given.folder, ".env"));
    expect(hidden).toContain(join(given.homes[0] ?? "", ".ssh"));
    const readable = readingGrants(given).filter(({ access }) => access !== "list");
    for (const { path } of readable) {
      for (const secret of hidden)
        expect(secret === path || secret.startsWith(path === "/" ? "/" : `${path}/`)).toBe(false);
    }
  });

  test("still has the files beside a secret", () => {
    const given = scope();
    const paths = readingGrants(given).map(({ path }) => path);
    expect(paths).toContain(join(given.folder, "a.txt"));
    expect(paths).toContain(join(given.homes[0] ?? "", "notes.txt"));
    expect(paths).toContain(join(given.ashHome, "tools"));
    expect(paths).toContain("/usr");
  });

  test("follows no link out of a granted folder", () => {
    const given = scope();
    symlinkSync(join(given.homes[0] ?? "", ".ssh"), join(given.folder, "innocent"));
    expect(readingGrants(given).map(({ path }) => path)).not.toContain(join(given.folder, "innocent"));
  });

  test("is only the system and what was named, when something was named", () => {
    const given = scope();
    const paths = readingGrants({ ...given, onlyRead: [join(given.folder, "sub")] }).map(({ path }) => path);
    expect(paths).toContain(join(given.folder, "sub"));
    expect(paths).not.toContain(join(given.folder, "a.txt"));
  });

  test("loses what was taken away", () => {
    const given = scope();
    const paths = readingGrants({ ...given, neverRead: [join(given.folder, "a.txt")] }).map(
      ({ path }) => path,
    );
    expect(paths).not.toContain(join(given.folder, "a.txt"));
    expect(paths).toContain(join(given.folder, "b.csv"));
  });
});

describe("control groups", () => {
  const parts = (folder: string) => [
    {
      folder,
      limits: () =>
        [
          ["memory.max", 1000, true],
          ["missing/swap", 0, false],
        ] as const,
      events: [["memory.events", /^oom_kill ([1-9]\d*)$/m, "memory"]] as const,
    },
  ];

  test("are made with their limits and tell when one was hit", () => {
    const group = groupsFor(parts(root), 2, "run").open("1");
    const folder = join(root, "ash-run-1");
    expect(group?.limit(LIMITS)).toBe(true);
    expect(readFileSync(join(folder, "memory.max"), "utf8")).toBe("1000");
    expect(group?.joins).toEqual([join(folder, "cgroup.procs")]);
    expect(group?.hit()).toBeNull();
    writeFileSync(join(folder, "memory.events"), "oom 3\noom_kill 2\n");
    expect(group?.hit()).toBe("memory");
    writeFileSync(join(folder, "cgroup.procs"), "12\n34\n");
    expect(group?.members()).toEqual([12, 34]);
  });

  test("that cannot be made are no error", () => {
    expect(groupsFor(parts(join(root, "nowhere")), 2, "run").open("1")).toBeNull();
  });

  test("hold root too, where they can be made", () => {
    // The limit on processes does not bind root: a machine that runs these tests as root must offer groups.
    if (process.getuid?.() !== 0) return;
    const group = openGroups("test")?.open("1");
    expect(group).not.toBeNull();
    group?.remove();
  });
});

describe("bubblewrap", () => {
  testWith("bwrap")("hides secrets, keeps the machine read-only and closes the network", async () => {
    const bench = openBench("bwrap");
    furnish(bench);
    const script = [
      `cat ${bench.home}/.ssh/id_rsa ${bench.ashHome}/config.toml`,
      `echo x > ${bench.folder}/W`,
      'echo y > "$TMPDIR/y" && cat "$TMPDIR/y"',
      "python3 -c 'import socket; s = socket.socket(); s.settimeout(1); s.connect((\"127.0.0.1\", 9))' 2>&1 | tail -n 1",
      "head -n 1 a.txt",
    ].join("\n");
    const call = await bench.sh(script);
    const output = call.stdout.text + (call.stages[0]?.stderr.text ?? "");
    expect(output).not.toContain(CANARY);
    expect(output).toContain("Read-only file system");
    expect(call.stdout.text).toContain("y\n");
    expect(call.stdout.text).toContain("alpha\n");
    expect(await Bun.file(join(bench.folder, "W")).exists()).toBe(false);
    expect(bench.engine.sandbox).toBe("bwrap");
    await bench.close();
  });
});
