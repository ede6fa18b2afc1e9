// The types of settings: how the text of a flag, a variable or a file is read. Pure.
import {
  type Parsed,
  parseBytes,
  parseCount,
  parseDollars,
  parseDuration,
  parseKept,
  parseList,
  parseProcesses,
  parseSwitch,
} from "./limits.ts";
import { Secret } from "./secret.ts";

/** What a value looks like in a file: how the published schema describes it. */
export type ValueKind = "text" | "count" | "switch" | "duration" | "size" | "dollars" | "list";

/** A type of values: how text is read, and what it looks like in a file. */
export type Type<T> = {
  readonly kind: ValueKind;
  readonly parse: (text: string) => Parsed<T>;
  /** Every value there is, where they are few. */
  readonly words?: readonly string[];
};

const ok = <T>(value: T): Parsed<T> => ({ ok: true, value });
const bad = (problem: string): Parsed<never> => ({ ok: false, problem });

const parseWord = (text: string): Parsed<string> =>
  /[\u0000-\u001f\u007f]/.test(text) ? bad("holds a control character") : ok(text);

const parseSecret = (text: string): Parsed<Secret | null> =>
  /^[\u0021-\u007e]+$/.test(text)
    ? ok(new Secret(text))
    : bad("is not a key: it holds blanks or special characters");

/** Reads an address and takes the parts off that clients add themselves. */
export function parseBaseUrl(text: string): Parsed<string | null> {
  // The reader of addresses would drop them without a word.
  if (/[\u0000-\u0020\u007f]/.test(text)) return bad("holds a blank or a control character");
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return bad("is not a URL (write http://localhost:11434)");
  }
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return bad("must start with http:// or https://");
  if (url.username !== "" || url.password !== "") return bad("must not hold a user name or password");
  if (url.search !== "" || url.hash !== "") return bad("must not hold a query or a fragment");
  return ok(`${url.origin}${url.pathname.replace(/\/+$/, "").replace(/\/v1(\/messages)?$/, "")}`);
}

/** One of a few words. */
export const oneOf = <const W extends string>(...words: readonly W[]): Type<W> => ({
  kind: "text",
  words,
  parse(text) {
    const found = words.find((word) => word === text);
    return found === undefined ? bad(`must be one of ${words.join(", ")}`) : ok(found);
  },
});

/** A value that may also be absent. */
export const nullable = <T>({ kind, parse }: Type<T>): Type<T | null> => ({ kind, parse });
/** Any text without control characters. */
export const word: Type<string> = { kind: "text", parse: parseWord };
/** A key; it is hidden from the moment it is read. */
export const secret: Type<Secret | null> = { kind: "text", parse: parseSecret };
/** An address of a model server. */
export const address: Type<string | null> = { kind: "text", parse: parseBaseUrl };
/** A whole number. */
export const count: Type<number> = { kind: "count", parse: parseCount };
/** A duration, in milliseconds. */
export const duration: Type<number> = { kind: "duration", parse: parseDuration };
/** A size in bytes. */
export const size: Type<number> = { kind: "size", parse: parseBytes };
/** A size in bytes of what is kept of an output. */
export const kept: Type<number> = { kind: "size", parse: parseKept };
/** A number of processes. */
export const processes: Type<number> = { kind: "count", parse: parseProcesses };
/** An amount of US dollars. */
export const dollars: Type<number> = { kind: "dollars", parse: parseDollars };
/** A switch. */
export const toggle: Type<boolean> = { kind: "switch", parse: parseSwitch };
/** A comma-separated list. */
export const list: Type<readonly string[]> = { kind: "list", parse: parseList };
