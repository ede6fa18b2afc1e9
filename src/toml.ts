// TOML text → plain data, with the line of what is wrong. The only importer of the TOML library.
import { parse, TomlError } from "smol-toml";

/** A parsed document, or where and why it cannot be read. */
export type TomlDocument =
  | { readonly ok: true; readonly data: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly line: number; readonly problem: string };

/** Parses a TOML document. */
export function parseToml(text: string): TomlDocument {
  try {
    return { ok: true, data: parse(text) };
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown;
    const [problem = "invalid TOML"] = thrown.message.replace(/^Invalid TOML document: /, "").split("\n");
    return { ok: false, line: thrown.line, problem };
  }
}
