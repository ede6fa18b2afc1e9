// Whatever lies in the current directory, beside a tool or where Python's variables point is never imported: neither
// while an environment is made nor when a tool runs in it.
import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type RunOptions, runAsh } from "../support/ash.ts";
import { usePlace } from "../support/asking.ts";
import { withoutModules } from "../support/machineviews.ts";
import { PATH_WITH_UV, putTool, SLOW, usePackageIndex } from "../support/provisioning.ts";
import { testWith } from "../support/required.ts";
import { PINNED, tinyAsh } from "../support/tinyash.ts";

const place = usePlace();
const index = usePackageIndex([PINNED]);

const MODULES = [
  "json",
  "venv",
  "pip",
  "ensurepip",
  "encodings",
  "sitecustomize",
  "usercustomize",
  "subprocess",
  "runpy",
  "importlib",
  "tinypkg",
  "platform",
  "types",
];

const markers = (): string => join(place.home, "markers");

/** Puts modules into a folder that leave a file behind when anybody imports or runs them. */
function trap(folder: string): void {
  mkdirSync(markers(), { recursive: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of MODULES) {
    const code = `open(${JSON.stringify(join(markers(), name))}, "a").write(__file__)\nraise SystemExit(99)\n`;
    if (!folder.endsWith("tools") || name !== "tinypkg")
      writeFileSync(join(folder, `${name}.py`), code, { mode: 0o600 });
    mkdirSync(join(folder, name), { recursive: true });
    for (const file of ["__init__.py", "__main__.py"]) writeFileSync(join(folder, name, file), code);
  }
  writeFileSync(join(folder, "trap.pth"), "import json\n");
  writeFileSync(join(folder, "pyvenv.cfg"), "home = /nowhere\n");
  writeFileSync(join(folder, "pyproject.toml"), '[tool.uv]\nindex-url = "http://127.0.0.1:1/simple"\n');
  writeFileSync(join(folder, "uv.toml"), 'index-url = "http://127.0.0.1:1/simple"\n');
  writeFileSync(join(folder, ".python-version"), "2.7\n");
  writeFileSync(join(folder, "pip.conf"), "[global]\nno-index = true\n");
}

const sprung = (): readonly string[] => readdirSync(markers());

function userSites(): readonly string[] {
  return Array.from({ length: 12 }, (_, i) => join(place.home, `.local/lib/python3.${9 + i}/site-packages`));
}

const INSTALLERS = [
  { name: "venv and pip", needs: "python3", under: {}, path: "/usr/bin:/bin" },
  {
    name: "a foreign pip",
    needs: "bwrap",
    under: { under: withoutModules("ensurepip") },
    path: "/usr/bin:/bin",
  },
  { name: "uv", needs: "uv", under: {}, path: PATH_WITH_UV },
] as const;

describe("traps in the current directory, in the user's site and behind every variable of Python", () => {
  for (const { name, needs, under, path } of INSTALLERS) {
    testWith(needs)(
      `do not close on ${name}, nor on the tool that then runs`,
      async () => {
        trap(place.folder);
        for (const site of userSites()) trap(site);
        const startup = join(place.folder, "json.py");
        const options: RunOptions = {
          ...under,
          program: await tinyAsh(),
          env: {
            PATH: path,
            PIP_INDEX_URL: index.url,
            PYTHONPATH: place.folder,
            PYTHONHOME: place.folder,
            PYTHONSTARTUP: startup,
            PYTHONUSERBASE: join(place.home, ".local"),
            PYTHONINSPECT: "1",
            PYTHONPLATLIBDIR: place.folder,
            PYTHONBREAKPOINT: "json.dumps",
            PYTHONWARNINGS: "error",
            PYTHONPYCACHEPREFIX: join(place.home, "pycache"),
            VIRTUAL_ENV: place.folder,
            CONDA_PREFIX: place.folder,
          },
        };
        expect(await runAsh(place, ["init"], options)).toMatchObject({ code: 0 });
        trap(join(place.ashHome, "tools"));
        putTool(place, "tinypkg.py");
        const args = ["run", "--json", "--allow-run", "tinypkg.py", "--", "tinypkg.py"];
        const result = (await runAsh(place, args, options)).json();
        expect(result).toMatchObject({ exit_code: 0 });
        expect(JSON.parse(result.result ?? "")).toMatchObject({ version: "1.0" });
        const bundled = await runAsh(place, ["run", "--json", "--", "wikipedia.py", "--ai-docs"], options);
        expect(bundled.json()).toMatchObject({ exit_code: 0 });
        expect(sprung()).toEqual([]);
      },
      SLOW,
    );
  }

  test("do close on a Python that is not careful, so that they would be noticed", () => {
    trap(place.folder);
    const careless = Bun.spawnSync(["/usr/bin/env", "python3", "-c", "import json"], {
      cwd: place.folder,
      env: { PATH: "/usr/bin:/bin" },
    });
    expect(careless.exitCode).not.toBe(0);
    expect(sprung()).not.toEqual([]);
  });
});
