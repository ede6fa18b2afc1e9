// Lists of models as servers send them.
import { describe, expect, test } from "bun:test";
import { readPage } from "../../src/providers/models.ts";

const model = (id: string, context_tokens: number | null = null, display_name: string | null = null) => ({
  id,
  display_name,
  context_tokens,
});

const forms: readonly (readonly [server: string, answer: unknown, models: readonly object[]])[] = [
  [
    "the Messages API",
    {
      data: [{ type: "model", id: "claude-x", display_name: "Claude X", max_input_tokens: 1000 }],
      has_more: false,
    },
    [model("claude-x", 1000, "Claude X")],
  ],
  ["the usual list", { object: "list", data: [{ id: "qwen3", object: "model" }] }, [model("qwen3")]],
  ["vllm", { data: [{ id: "m", max_model_len: 4096 }] }, [model("m", 4096)]],
  [
    "llama.cpp",
    { models: [{ name: "m.gguf" }], data: [{ id: "m.gguf", meta: { n_ctx: 4096, n_ctx_train: 8192 } }] },
    [model("m.gguf", 4096)],
  ],
  [
    "openrouter",
    { data: [{ id: "a/b", name: "A: B", context_length: 200000 }] },
    [model("a/b", 200000, "A: B")],
  ],
  ["a bare list", ["one", { name: "two" }, {}, 7, null], [model("one"), model("two")]],
  ["a list under another name", { models: [{ model: "m", name: "m" }] }, [model("m")]],
  ["an empty list", { data: [] }, []],
];

describe("a list of models", () => {
  test.each(forms)("in the form of %s is read", (_, answer, models) => {
    expect(readPage(JSON.stringify(answer))).toEqual({ models: models as never, after: null });
  });

  test("that goes on says after which model", () => {
    expect(readPage('{"data": [{"id": "a"}], "has_more": true, "last_id": "a"}')?.after).toBe("a");
  });

  test.each(["", "<html>", "{}", "7", "null", '{"data": {}}', '{"error": "x"}'])("is not %p", (text) => {
    expect(readPage(text)).toBeNull();
  });
});
