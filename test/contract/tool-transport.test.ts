// The functions the bundled tools share, called one by one where no server on loopback could show the difference.
import { describe, expect, test } from "bun:test";
import { type Json, PYTHON, runCommand, toolPath } from "../support/pythontool.ts";

/** Calls a function of a tool with each list of arguments; a Failure becomes its code. */
async function call(
  name: string,
  calls: readonly (readonly Json[])[],
  env: Readonly<Record<string, string>> = {},
): Promise<readonly Json[]> {
  const script = `
import json, runpy, sys
tool = runpy.run_path(sys.argv[1])
def call(arguments):
    try:
        return tool[sys.argv[2]](*arguments)
    except tool["Failure"] as failure:
        return failure.fields["error"]
print(json.dumps([call(arguments) for arguments in json.loads(sys.argv[3])]))
`;
  const command = [PYTHON, "-I", "-X", "utf8", "-B", "-c", script, toolPath("headlines.py"), name];
  const ended = await runCommand([...command, JSON.stringify(calls)], { env });
  expect(ended.stderr).toBe("");
  return JSON.parse(ended.stdout) as readonly Json[];
}

describe("checked_url", () => {
  const refused = "bad_redirect";
  const cases: readonly (readonly [string, string, string])[] = [
    ["https://b.example/x", "https://a.example/", "https://b.example/x"],
    ["/x?y=1#z", "https://a.example/w", "https://a.example/x?y=1"],
    ["//b.example/x", "https://a.example/", "https://b.example/x"],
    ["https://b.example/a b/ü", "https://a.example/", "https://b.example/a%20b/%C3%BC"],
    ["http://b.example/", "http://a.example/", "http://b.example/"],
    ["http://b.example/", "https://a.example/", refused],
    ["http://127.0.0.1/", "https://a.example/", refused],
    ["http://localhost:80/", "http://a.example/", refused],
    ["https://[::1]/", "https://a.example/", refused],
    ["http://127.0.0.1:81/", "http://127.0.0.1:80/", "http://127.0.0.1:81/"],
    ["http://127.0.0.1:81/", "https://127.0.0.1/", "http://127.0.0.1:81/"],
    ["https://a.example@127.0.0.1/", "https://a.example/", refused],
    ["https://a.example\\@b.example/", "https://a.example/", refused],
    ["https://a.example:123456/", "https://a.example/", refused],
    ["http://localhost.b.example/", "https://a.example/", refused],
    ["javascript:alert(1)", "https://a.example/", refused],
    ["data:text/xml,<rss/>", "https://a.example/", refused],
  ];

  test("lets nobody lead from https to http, from elsewhere to this machine, or to another scheme", async () => {
    const found = await call(
      "checked_url",
      cases.map(([location, origin]) => [location, "bad_redirect", origin]),
    );
    expect(cases.map(([location, origin], at) => [location, origin, found[at] ?? null])).toEqual(
      cases.map((item) => [...item]),
    );
  });
});

describe("retry_after", () => {
  test("reads seconds and dates, and nothing else", async () => {
    const cases: readonly (readonly [string, number | null])[] = [
      ["0", 0],
      ["120", 120],
      ["", null],
      ["-5", null],
      ["1.5", null],
      ["²", null],
      ["9".repeat(40), null],
      ["Wed, 01 Jan 2020 00:00:00 GMT", 0],
      ["Wed, 01 Jan 9999 00:00:00 GMT", 1_000_000_000],
      ["Wed, 99 Jan 2020 00:00:00 GMT", null],
    ];
    expect(
      await call(
        "retry_after",
        cases.map(([value]) => [value]),
      ),
    ).toEqual(cases.map(([, seconds]) => seconds));
  });
});

describe("a date in Retry-After", () => {
  const day = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
  const forms: readonly (readonly [form: string, write: (date: Date, gmt: string) => string])[] = [
    ["a date of today", (_, gmt) => gmt],
    [
      "a date of the nineties",
      (date, gmt) =>
        gmt.replace(
          /^\w+, (\d+) (\w+) \d\d(\d\d)/,
          (_all, d, m, y) => `${day[date.getUTCDay()]}, ${d}-${m}-${y}`,
        ),
    ],
    ["a date of C", (_, gmt) => gmt.replace(/^(\w+), (\d+) (\w+) (\d+) (\S+) GMT/, "$1 $3 $2 $5 $4")],
  ];

  test.each(forms)("is UTC wherever the tool runs: %s", async (_, write) => {
    const date = new Date(Date.now() + 3_600_000);
    const [seconds] = await call("retry_after", [[write(date, date.toUTCString())]], {
      TZ: "America/New_York",
    });
    expect(seconds).toBeNumber();
    expect(Math.abs(Number(seconds) - 3600)).toBeLessThan(1800);
  });
});

describe("plain", () => {
  test("leaves the text a reader would see", async () => {
    const cases: readonly (readonly [Json, string])[] = [
      [null, ""],
      ["<p>one</p><p>two<br/>three</p>", "one two three"],
      ["a<b>b</b>c<span class='x'>d</span>", "abcd"],
      ["AT&amp;T &lt;tag&gt; &#8364; &eacute; Q&A ?a=1&region=2", "AT&T <tag> € é Q&A ?a=1&region=2"],
      ["1 < 2 and 3 > 2", "1 < 2 and 3 > 2"],
      ["<script>bad()</script>x<style>y{}</style><!-- <b>no</b> -->z<script>open", "x z"],
      ["\u001b[31mred\u001b[0m \u0007\u009b\u202e\u200b\ufeff\u{e0041}\u2066end", "red end"],
      ["می\u200cخواهم a\u200cb 👩\u200d🚀", "می\u200cخواهم ab 👩🚀"],
      [`text <img src="${"x".repeat(3000)}">`, "text"],
      [" a\n\t\u00a0\u2028b ", "a b"],
    ];
    expect(
      await call(
        "plain",
        cases.map(([markup]) => [markup]),
      ),
    ).toEqual(cases.map(([, text]) => text));
  });
});

describe("shorten", () => {
  test("cuts at a word, and by the size of the JSON as well", async () => {
    const found = await call("shorten", [
      ["short", 10],
      ["one two three four", 12],
      ["x".repeat(50), 10],
      ["凧".repeat(100), 100],
      ["", 10],
    ]);
    expect(found).toEqual([
      "short",
      "one two…",
      `${"x".repeat(9)}…`,
      expect.stringMatching(/^凧{40,50}…$/),
      "",
    ]);
  });
});
