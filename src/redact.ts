// The one redactor: known secret values in every form they travel in, and the shapes of well-known tokens, become a
// note that says what stood there. Pure; it is given the secrets.
import type { Secret } from "./secret.ts";

/** A secret and the name it is known by. */
export type NamedSecret = { readonly name: string; readonly value: Secret };

/** Replaces secrets in a text. */
export type Redactor = (text: string) => string;

/** Shorter values would hit innocent text. */
const SHORTEST = 8;

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64").replace(/=+$/, "");

/**
 * Base64 of a secret inside a longer encoded text: three spellings, by its position modulo 3, without the letters
 * that depend on its neighbours.
 */
function base64Forms(secret: Uint8Array): readonly string[] {
  return [0, 1, 2].map((shift) => {
    const encoded = toBase64(Buffer.concat([Buffer.alloc(shift), secret]));
    const from = shift === 0 ? 0 : shift + 1;
    const to = encoded.length - ((shift + secret.length) % 3 === 0 ? 0 : 1);
    return encoded.slice(from, to);
  });
}

const urlSafe = (text: string): string => text.replaceAll("+", "-").replaceAll("/", "_");

function formsOf(value: string): readonly string[] {
  const bytes = new TextEncoder().encode(value);
  const hex = Buffer.from(bytes).toString("hex");
  const percentAll = hex.replace(/../g, "%$&");
  const base64 = base64Forms(bytes).filter((form) => form.length >= SHORTEST);
  const reversed = [...value].reverse().join("");
  return [
    value,
    encodeURIComponent(value),
    ...base64,
    ...base64.map(urlSafe),
    hex,
    hex.toUpperCase(),
    percentAll,
    percentAll.toUpperCase(),
    reversed,
  ];
}

/** Shapes of keys and tokens that many services use, each with the name it is shown by. */
const SHAPES: readonly (readonly [name: string, pattern: string])[] = [
  [
    "private-key",
    "-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:(?!-----END)[\\s\\S]){0,20000}(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?",
  ],
  ["api-key", "\\bsk-(?:ant-|proj-|or-)?[A-Za-z0-9_-]{20,}"],
  ["github-token", "\\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,})"],
  ["gitlab-token", "\\bglpat-[A-Za-z0-9_-]{20,}"],
  ["slack-token", "\\bxox[abeprs]-[A-Za-z0-9-]{10,}"],
  ["aws-key", "\\b(?:AKIA|ASIA)[A-Z0-9]{16}\\b"],
  ["google-key", "\\bAIza[A-Za-z0-9_-]{35}"],
  ["google-token", "\\bya29\\.[A-Za-z0-9_-]{20,}"],
  ["hugging-face-token", "\\bhf_[A-Za-z0-9]{30,}"],
  ["npm-token", "\\bnpm_[A-Za-z0-9]{36}\\b"],
  ["pypi-token", "\\bpypi-[A-Za-z0-9_-]{50,}"],
  ["stripe-key", "\\b[sr]k_live_[A-Za-z0-9]{20,}"],
  ["sendgrid-key", "\\bSG\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}"],
  ["jwt", "\\beyJ[A-Za-z0-9_-]{8,}\\.eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}"],
];

/** A password in an address keeps the address; a bearer token keeps the word. */
const IN_PLACE: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@]{1,100}:)[^\s:/@]{1,200}(?=@)/gi, "$1[redacted]"],
  [/(\bauthorization:\s*(?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{8,}/gi, "$1[redacted]"],
];

/** Makes the redactor for a set of secrets. */
export function createRedactor(secrets: readonly NamedSecret[]): Redactor {
  const names = new Map<string, string>();
  for (const { name, value } of secrets) {
    const plain = value.reveal();
    if (plain.length < SHORTEST) continue;
    for (const form of formsOf(plain)) if (!names.has(form)) names.set(form, name);
  }
  // The longest first: a key may be the beginning of another.
  const forms = [...names.keys()].sort((a, b) => b.length - a.length).map(escaped);
  const known = forms.length === 0 ? null : new RegExp(forms.join("|"), "g");
  const shapes = new RegExp(SHAPES.map(([, pattern]) => `(${pattern})`).join("|"), "g");
  return (text) => {
    let clean =
      known === null ? text : text.replace(known, (found) => `[redacted:${names.get(found) ?? "secret"}]`);
    clean = clean.replace(shapes, (_, ...groups: unknown[]) => {
      const shape = SHAPES[groups.findIndex((group) => typeof group === "string")];
      return `[redacted:${shape?.[0] ?? "token"}]`;
    });
    for (const [pattern, replacement] of IN_PLACE) clean = clean.replace(pattern, replacement);
    return clean;
  };
}

/** Redacts every string of a value. */
export function redactAll<V>(redact: Redactor, value: V): V {
  if (typeof value === "string") return redact(value) as V;
  if (Array.isArray(value)) return value.map((item) => redactAll(redact, item)) as V;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redactAll(redact, item)])) as V;
}

/** Redacts a text that arrives in pieces: a word is held back until it is whole. */
export type RedactingStream = { push(chunk: string): string; end(): string };

const LONGEST_WORD = 8192;

/** Opens a redacting stream. */
export function redactStream(redact: Redactor): RedactingStream {
  let held = "";
  return {
    push(chunk) {
      held += chunk;
      const blank = Math.max(held.lastIndexOf(" "), held.lastIndexOf("\n"));
      const cut = blank < 0 && held.length > LONGEST_WORD ? held.length : blank + 1;
      const ready = held.slice(0, cut);
      held = held.slice(cut);
      return redact(ready);
    },
    end() {
      const rest = held;
      held = "";
      return redact(rest);
    },
  };
}
