// The account of the user, as the password database of the system has it.
import { afterEach, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { accountHome, accountName } from "../../src/host/files.ts";

const [name = "", , , , , home = ""] =
  readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"))
    .find(([, , uid]) => uid === String(process.getuid?.())) ?? [];

const before = { ...process.env };

afterEach(() => {
  for (const variable of ["HOME", "USER", "LOGNAME"]) {
    const value = before[variable];
    if (value === undefined) delete process.env[variable];
    else process.env[variable] = value;
  }
});

describe("the account of the user", () => {
  test("is that of the password database, whatever HOME and USER say", () => {
    Object.assign(process.env, { HOME: "/no/such/home", USER: "somebody", LOGNAME: "somebody" });
    expect(accountHome()).toBe(home);
    expect(accountName()).toBe(name);
  });

  test("is known without HOME and USER", () => {
    for (const variable of ["HOME", "USER", "LOGNAME"]) delete process.env[variable];
    expect(accountHome()).toBe(home);
    expect(accountName()).toBe(name);
  });
});
