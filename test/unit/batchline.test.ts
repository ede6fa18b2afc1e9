// One line of a file of prompts.
import { describe, expect, test } from "bun:test";
import { type BatchBounds, readBatchLine } from "../../src/batchline.ts";

const bounds: BatchBounds = { maxTurns: 16, deadlineMs: 60_000, tools: new Set(["ls", "df"]) };

const lineOf = (bytes: Uint8Array) => ({ number: 7, bytes, tooLong: false, whole: true, end: 0 });
const read = (text: string) => readBatchLine(lineOf(new TextEncoder().encode(text)), bounds);
const readObject = (fields: unknown) => read(JSON.stringify(fields));

const NOTHING = { context: null, model: null, maxTurns: null, deadlineMs: null, tools: null };

describe("a line of a batch", () => {
  test("needs an id and a prompt, and may have the rest", () => {
    expect(readObject({ id: "a", prompt: "hi" })).toEqual({
      ok: true,
      asked: { id: "a", prompt: "hi", ...NOTHING },
    });
    const full = {
      ...{ id: 3, prompt: " hi ", context: "data", model: "m" },
      ...{ max_turns: 16, deadline: "1m", allow_run: ["df"] },
    };
    expect(readObject(full)).toEqual({
      ok: true,
      asked: {
        ...{ id: 3, prompt: " hi ", context: "data", model: "m" },
        ...{ maxTurns: 16, deadlineMs: 60_000, tools: ["df"] },
      },
    });
  });

  test("counts a null as not given, and a bare number as seconds", () => {
    const fields = { id: "a", prompt: "hi", context: null, model: null, max_turns: null, allow_run: null };
    expect(readObject({ ...fields, deadline: 1.5 })).toMatchObject({ ok: true, asked: { deadlineMs: 1500 } });
  });

  test.each(["", "  \t", "\r", "\ufeff"])("that is blank (%j) is no line", (text) => {
    expect(read(text)).toBeNull();
  });

  test("may begin with a byte order mark and end with a carriage return", () => {
    expect(read('\ufeff{"id":"a","prompt":"hi"}\r')).toMatchObject({ ok: true });
  });

  const wrong: readonly (readonly [unknown, string])[] = [
    [[1], "not an object"],
    [null, "not an object"],
    ["text", "not an object"],
    [{ prompt: "hi" }, "id is missing"],
    [{ id: "", prompt: "hi" }, "id is missing"],
    [{ id: " ", prompt: "hi" }, "id is missing"],
    [{ id: 1.5, prompt: "hi" }, "id is missing"],
    [{ id: true, prompt: "hi" }, "id is missing"],
    [{ id: "x".repeat(257), prompt: "hi" }, "id is missing"],
    [{ id: "a" }, "prompt is missing or empty"],
    [{ id: "a", prompt: " \n" }, "prompt is missing or empty"],
    [{ id: "a", prompt: 5 }, "prompt is not a text"],
    [{ id: "a", prompt: "hi", context: {} }, "context is not a text"],
    [{ id: "a", prompt: "hi", model: "" }, "model:"],
    [{ id: "a", prompt: "hi", model: "a\nb" }, "model:"],
    [{ id: "a", prompt: "hi", max_turns: 0 }, "max_turns: 0 is not a whole number"],
    [{ id: "a", prompt: "hi", max_turns: "3" }, 'max_turns: "3" is not a whole number'],
    [{ id: "a", prompt: "hi", max_turns: 17 }, "max_turns: 17 is more than the batch allows"],
    [{ id: "a", prompt: "hi", deadline: "soon" }, 'deadline: "soon" is not a duration'],
    [{ id: "a", prompt: "hi", deadline: "2m" }, 'deadline: "2m" is more than the batch allows'],
    [{ id: "a", prompt: "hi", allow_run: "ls" }, "allow_run:"],
    [{ id: "a", prompt: "hi", allow_run: ["ls", "sh"] }, '"sh", which the batch does not allow'],
    [{ id: "a", prompt: "hi", allow_run: [1] }, "allow_run:"],
    [{ id: "a", promt: "hi" }, 'unknown key "promt"'],
    [{ id: "a", prompt: "hi", deny_run: ["ls"] }, 'unknown key "deny_run"'],
  ];

  test.each(wrong)("%j is refused: %s", (fields, problem) => {
    const reading = readObject(fields);
    if (reading === null || reading.ok) throw new Error("it was accepted");
    expect(reading.error.type).toBe("usage");
    expect(reading.error.message).toStartWith("line 7: ");
    expect(reading.error.message).toContain(problem);
  });

  test("keeps its id when something else is wrong", () => {
    expect(readObject({ id: "a", prompt: "" })).toMatchObject({ ok: false, id: "a" });
    expect(readObject({ id: 4, promt: "x" })).toMatchObject({ ok: false, id: 4 });
    expect(read("{")).toMatchObject({ ok: false, id: null });
  });

  test("says where it is not UTF-8, not JSON, not Unicode, or too long", () => {
    const problem = (reading: ReturnType<typeof read>) =>
      reading === null || reading.ok ? "accepted" : reading.error.message;
    expect(problem(read('{"id": "a"'))).toBe("line 7: not valid JSON");
    expect(problem(read('{"id":"a","prompt":"\\ud800"}'))).toBe("line 7: prompt is not valid Unicode");
    expect(problem(readBatchLine(lineOf(new Uint8Array([0x7b, 0xff])), bounds))).toBe(
      "line 7: it is not valid UTF-8 at byte offset 1",
    );
    const tooLong = { ...lineOf(new Uint8Array()), tooLong: true };
    expect(problem(readBatchLine(tooLong, bounds))).toBe("line 7: longer than 10 MiB");
  });
});
