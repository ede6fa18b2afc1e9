// Where packages come from: the settings of a company reach pip and uv alike, the settings of a user do not.
import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Finished, makePlace, type RunOptions, runAsh } from "../support/ash.ts";
import { usePlace } from "../support/asking.ts";
import { snapshot } from "../support/cases.ts";
import { withoutModules } from "../support/machineviews.ts";
import { answerAsIndex, startPackageIndex } from "../support/packageindex.ts";
import { runningIn } from "../support/processes.ts";
import { PATH_WITH_UV, SLOW, usePackageIndex, watchAsh } from "../support/provisioning.ts";
import { testWith } from "../support/required.ts";
import { PINNED, tinyAsh } from "../support/tinyash.ts";
import { startSecureIndex } from "../support/tls.ts";
import { until } from "../support/until.ts";
import { startWebServer, status } from "../support/webserver.ts";
import { makeWheel } from "../support/wheel.ts";

const DOWN = "http://127.0.0.1:1/simple/";
const place = usePlace();
const index = usePackageIndex([PINNED]);

const optionsOf = async (options: RunOptions): Promise<RunOptions> => ({
  ...options,
  program: await tinyAsh(),
  env: { PIP_RETRIES: "0", UV_HTTP_RETRIES: "0", ...options.env },
});
const last = (finished: Finished): string => finished.stderr.trimEnd().split("\n").at(-1) ?? "";

const INSTALLERS = [
  { name: "pip", program: "bwrap", under: { under: withoutModules("ensurepip") }, path: "/usr/bin:/bin" },
  { name: "uv", program: "uv", under: {}, path: PATH_WITH_UV },
] as const;

for (const { name, program, under, path } of INSTALLERS) {
  const init = async (env: Record<string, string>, ...args: readonly string[]): Promise<Finished> =>
    runAsh(place, ["init", ...args], await optionsOf({ ...under, env: { PATH: path, ...env } }));

  describe(`${name} takes packages`, () => {
    const one = ["PIP_INDEX_URL", "UV_INDEX_URL", "UV_DEFAULT_INDEX"] as const;
    for (const variable of one) {
      testWith(program)(
        `from the index in ${variable}`,
        async () => {
          expect(await init({ [variable]: index.url })).toMatchObject({ code: 0 });
          expect(index.fetched(PINNED)).toBe(1);
        },
        SLOW,
      );
    }

    const more = [
      ["PIP_EXTRA_INDEX_URL", (url: string) => url],
      ["UV_EXTRA_INDEX_URL", (url: string) => url],
      ["UV_INDEX", (url: string) => `company=${url}`],
    ] as const;
    for (const [variable, value] of more) {
      testWith(program)(
        `from another index in ${variable} as well`,
        async () => {
          const first = startPackageIndex([makeWheel("unrelated")]);
          const env = { PIP_INDEX_URL: first.url, [variable]: value(index.url) };
          expect(await init(env)).toMatchObject({ code: 0 });
          first.stop();
          expect(index.fetched(PINNED)).toBe(1);
        },
        SLOW,
      );
    }

    for (const variable of ["HTTP_PROXY", "http_proxy"]) {
      testWith(program)(
        `through the proxy in ${variable}`,
        async () => {
          const proxy = startWebServer((request) =>
            request.target.startsWith("http://packages.invalid/")
              ? answerAsIndex([PINNED], request)
              : status(400),
          );
          const env = { PIP_INDEX_URL: "http://packages.invalid/simple/", [variable]: proxy.url };
          if (name === "pip")
            expect(last(await init(env))).toContain(
              "packages.invalid is not reached by https (use https, or name the host in PIP_TRUSTED_HOST;",
            );
          expect(await init({ ...env, PIP_TRUSTED_HOST: "packages.invalid" })).toMatchObject({ code: 0 });
          proxy.stop();
          expect(proxy.requests.map(({ target }) => target)).toContain(
            `http://packages.invalid/files/${PINNED.file}`,
          );
        },
        SLOW,
      );
    }

    testWith(program)(
      "around the proxy from a host in NO_PROXY, and says when the proxy cannot be reached",
      async () => {
        const env = { PIP_INDEX_URL: index.url, HTTP_PROXY: "http://127.0.0.1:1" };
        const failed = await init(env);
        expect(failed.code).toBe(9);
        expect(last(failed)).toMatch(
          /^ash: packages could not be installed: .* cannot be reached \(.*HTTPS?_PROXY/,
        );
        expect(await init({ ...env, NO_PROXY: "127.0.0.1" })).toMatchObject({ code: 0 });
      },
      SLOW,
    );

    testWith(program)(
      "from an index that wants the password in ~/.netrc, or in its address, which stays secret",
      async () => {
        const wanted = `Basic ${btoa("me:hunter2")}`;
        index.misbehave((_, { headers }) => (headers.authorization === wanted ? null : status(401)));
        const refused = await init({ PIP_INDEX_URL: index.url });
        expect(last(refused)).toMatch(
          /refuses the credentials \(401\) \(put user and password into ~\/\.netrc/,
        );
        writeFileSync(join(place.home, ".netrc"), "machine 127.0.0.1 login me password hunter2\n", {
          mode: 0o600,
        });
        expect(await init({ PIP_INDEX_URL: index.url })).toMatchObject({ code: 0 });
        place.renew();
        const address = index.url.replace("http://", "http://me:hunter2@");
        index.misbehave((part) => (part === "wheel" ? { kind: "silence" } : null));
        const before = index.fetched(PINNED);
        const options = await optionsOf({ ...under, env: { PATH: path, PIP_INDEX_URL: address } });
        const running = watchAsh(place, ["init"], options);
        await until(() => index.fetched(PINNED) > before);
        const commands = runningIn(place.home).map(({ command }) => command);
        for (const { pid } of runningIn(place.home)) process.kill(pid, "SIGINT");
        const { stderr } = await running.ended;
        expect(commands.length).toBeGreaterThan(1);
        expect([...commands, stderr].filter((text) => text.includes("hunter2"))).toEqual([]);
        expect(index.server.requests.at(-1)?.headers.authorization).toBe(wanted);
      },
      SLOW,
    );

    testWith("openssl")(
      "from an index whose certificate the company's CA signed",
      async () => {
        const secure = startSecureIndex([PINNED], place.folder);
        const refused = await init({ PIP_INDEX_URL: secure.url });
        expect(last(refused)).toMatch(
          /the certificate of the package index https:\/\/localhost:\d+ is not trusted \(name the file of your company's CA in SSL_CERT_FILE/,
        );
        for (const variable of ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "PIP_CERT"]) {
          place.renew();
          const again = startSecureIndex([PINNED], place.folder);
          expect(await init({ PIP_INDEX_URL: again.url, [variable]: again.authority })).toMatchObject({
            code: 0,
          });
          await again.stop();
        }
        await secure.stop();
      },
      SLOW,
    );

    testWith(program)(
      "from a folder in PIP_FIND_LINKS without a network",
      async () => {
        writeFileSync(join(place.folder, PINNED.file), PINNED.bytes);
        const env = { PIP_INDEX_URL: DOWN, PIP_FIND_LINKS: place.folder };
        expect(await init(env, "--offline")).toMatchObject({ code: 0 });
      },
      SLOW,
    );

    testWith(program)(
      "from nowhere else: the user's own settings are not read, and nothing is written outside ASH_HOME",
      async () => {
        const evil = startPackageIndex([makeWheel("tinypkg", { source: "raise SystemExit('evil')" })]);
        const put = (file: string, text: string): void => {
          mkdirSync(join(place.home, file, ".."), { recursive: true });
          writeFileSync(join(place.home, file), text);
        };
        const pip = `[global]\nindex-url = ${evil.url}\nrequire-virtualenv = true\n[install]\nuser = true\n`;
        put(".config/pip/pip.conf", pip);
        put(".pip/pip.conf", pip);
        put("own.conf", pip);
        put(".pydistutils.cfg", "[install]\nprefix=/nowhere\n");
        const uv = `index-url = "${evil.url}"\noffline = true\n[pip]\nno-binary = [":all:"]\n`;
        put(".config/uv/uv.toml", uv);
        put("own.toml", uv);
        const outside = (): ReadonlyMap<string, string> =>
          new Map(
            [...snapshot([place.home, place.folder])].filter(([file]) => !file.startsWith(place.ashHome)),
          );
        const before = outside();
        const env = {
          PIP_INDEX_URL: index.url,
          PIP_TARGET: join(place.home, "target"),
          PIP_NO_INDEX: "1",
          PIP_NO_BINARY: ":all:",
          PIP_CONFIG_FILE: join(place.home, "own.conf"),
          PIP_REQUIRE_VIRTUALENV: "1",
          PIP_CACHE_DIR: join(place.home, "pip-cache"),
          UV_CONFIG_FILE: join(place.home, "own.toml"),
          UV_NO_INDEX: "1",
          UV_CACHE_DIR: join(place.home, "uv-cache"),
          UV_SYSTEM_PYTHON: "1",
          UV_PROJECT_ENVIRONMENT: join(place.home, "target"),
          XDG_CONFIG_HOME: join(place.home, ".config"),
          XDG_CACHE_HOME: join(place.home, "cache"),
          TMPDIR: join(place.home, "tmp"),
        };
        expect(await init(env)).toMatchObject({ code: 0 });
        evil.stop();
        expect(evil.paths()).toEqual([]);
        expect(outside()).toEqual(before);
        expect(index.fetched(PINNED)).toBe(1);
      },
      SLOW,
    );
  });
}

describe("a place relative to the current directory", () => {
  const relative = [
    ["PIP_FIND_LINKS", "wheels"],
    ["UV_FIND_LINKS", "/fine,wheels"],
    ["SSL_CERT_FILE", "ca.pem"],
  ] as const;

  test.each(relative)("in %s is refused, because anybody's files may lie there", async (variable, value) => {
    const place = makePlace();
    writeFileSync(join(place.folder, PINNED.file), PINNED.bytes);
    const failed = await runAsh(place, ["init"], await optionsOf({ env: { [variable]: value } }));
    expect(failed.code).toBe(9);
    expect(last(failed)).toBe(
      `ash: ${variable} names '${value.replace("/fine,", "")}' (give an absolute path)`,
    );
    place.remove();
  });
});
