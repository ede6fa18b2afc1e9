// The one cleaner for text that came from a tool or a model and goes to a terminal or back to a model.
// Escape sequences and invisible characters are dropped and counted, other control characters become U+FFFD.
// Pure; it knows nothing of secrets.

const SUSPECT = new RegExp(
  "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f" +
    "\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb\\ud800-\\udfff]",
);
const JOINING =
  /^[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Mongolian}]$/u;
const EMOJI = /^(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)$/u;

const REPLACEMENT = "\ufffd";
const ZWNJ = 0x200c;
const ZWJ = 0x200d;
const VARIATION_16 = 0xfe0f;

/** True for characters that show nothing or reorder what is shown: bidi controls, zero-width, tags, fillers. */
export function isInvisible(code: number): boolean {
  if (code < 0xad) return false;
  if (code <= 0x180f) {
    return (
      [0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x17b4, 0x17b5].includes(code) ||
      (code >= 0x180b && code <= 0x180f)
    );
  }
  if (code >= 0x200b && code <= 0x200f) return true;
  if (code >= 0x2028 && code <= 0x202e) return true;
  if (code >= 0x2060 && code <= 0x206f) return true;
  if (code >= 0xfe00 && code <= VARIATION_16) return true;
  if (code >= 0xfff0 && code <= 0xfffb) return true;
  if (code >= 0x1d173 && code <= 0x1d17a) return true;
  return code === 0x3164 || code === 0xfeff || code === 0xffa0 || (code >= 0xe0000 && code <= 0xe0fff);
}

type Mode = "text" | "carriage" | "escape" | "csi" | "string" | "string_escape";

/** Cleans a text that arrives in pieces; a sequence cut in two is still recognised. */
export type Sanitizer = {
  /** Returns the clean text known so far. */
  push(chunk: string): string;
  /** Returns what was held back; the sanitizer is then at its start again. */
  end(): string;
  /** Escape sequences and invisible characters dropped so far. */
  readonly removed: () => number;
};

class Machine implements Sanitizer {
  private mode: Mode = "text";
  private dropped = 0;
  private previous = "";
  private joiner = "";
  private half = "";
  private out: string[] = [];

  removed = (): number => this.dropped;

  push(chunk: string): string {
    let text = this.half + chunk;
    this.half = "";
    const last = text.charCodeAt(text.length - 1);
    if (last >= 0xd800 && last <= 0xdbff) {
      this.half = text.slice(-1);
      text = text.slice(0, -1);
    }
    if (this.mode === "text" && this.joiner === "" && !SUSPECT.test(text)) {
      this.previous = text.slice(-1) || this.previous;
      return text;
    }
    for (const char of text) this.step(char, char.codePointAt(0) ?? 0);
    return this.flush();
  }

  end(): string {
    if (this.half !== "") this.step(REPLACEMENT, 0xfffd);
    if (this.mode === "carriage") this.emit("\n");
    if (this.joiner !== "") this.dropped += 1;
    this.mode = "text";
    this.half = "";
    this.joiner = "";
    this.previous = "";
    return this.flush();
  }

  private flush(): string {
    const text = this.out.join("");
    this.out = [];
    return text;
  }

  private emit(char: string): void {
    this.out.push(char);
    this.previous = char;
  }

  private step(char: string, code: number): void {
    switch (this.mode) {
      case "text":
        return this.text(char, code);
      case "carriage":
        this.mode = "text";
        if (code !== 0x0a) this.emit("\n");
        return this.text(char, code);
      case "escape":
        return this.escape(char, code);
      case "csi":
        if (code >= 0x20 && code <= 0x3f) return;
        this.mode = "text";
        if (code < 0x40 || code > 0x7e) this.text(char, code);
        return;
      case "string":
        if (code === 0x1b) this.mode = "string_escape";
        else if (code === 0x07 || code === 0x9c) this.mode = "text";
        else if (code === 0x0a) this.leaveString(char, code);
        return;
      case "string_escape":
        if (code === 0x5c) this.mode = "text";
        else this.leaveString(char, code, "escape");
        return;
    }
  }

  // A control string that is never closed must not swallow the rest of the output: it ends at the line's end.
  private leaveString(char: string, code: number, next: Mode = "text"): void {
    this.mode = next;
    if (next === "escape") this.escape(char, code);
    else this.text(char, code);
  }

  private escape(char: string, code: number): void {
    if (char === "[") this.mode = "csi";
    else if (char === "]" || char === "P" || char === "X" || char === "^" || char === "_")
      this.mode = "string";
    else if (code >= 0x20 && code <= 0x2f) return;
    else {
      this.mode = "text";
      if (code < 0x30 || code > 0x7e) this.text(char, code);
    }
  }

  private text(char: string, code: number): void {
    if (this.joiner !== "" && this.resolveJoiner(char, code)) return;
    if (code === 0x1b) return this.begin("escape");
    if (code === 0x9b) return this.begin("csi");
    if (code === 0x9d || code === 0x90 || code === 0x98 || code === 0x9e || code === 0x9f)
      return this.begin("string");
    if (code === 0x0d) {
      this.mode = "carriage";
      return;
    }
    if (code === ZWJ || code === ZWNJ) {
      this.joiner = char;
      return;
    }
    if (code === VARIATION_16 && /^[\p{Emoji}]$/u.test(this.previous)) return this.emit(char);
    if (isInvisible(code)) {
      this.dropped += 1;
      return;
    }
    const control = (code < 0x20 && code !== 0x09 && code !== 0x0a) || (code >= 0x7f && code <= 0x9f);
    this.emit(control || (code >= 0xd800 && code <= 0xdfff) ? REPLACEMENT : char);
  }

  private begin(mode: Mode): void {
    this.dropped += 1;
    this.mode = mode;
  }

  // A joiner is spelling between letters of some scripts and inside emoji; anywhere else it hides text.
  private resolveJoiner(char: string, code: number): boolean {
    const joiner = this.joiner;
    this.joiner = "";
    const letters = JOINING.test(this.previous) && JOINING.test(char);
    const emoji = joiner.codePointAt(0) === ZWJ && EMOJI.test(this.previous) && EMOJI.test(char);
    if (letters || emoji) this.emit(joiner);
    else this.dropped += 1;
    if (code !== ZWJ && code !== ZWNJ) return false;
    this.dropped += 1;
    return true;
  }
}

/** Returns a sanitizer for text that arrives in pieces. */
export function createSanitizer(): Sanitizer {
  return new Machine();
}

/** Cleans a whole text; `removed` counts dropped escape sequences and invisible characters. */
export function sanitize(text: string): { readonly text: string; readonly removed: number } {
  if (!SUSPECT.test(text)) return { text, removed: 0 };
  const machine = new Machine();
  const clean = machine.push(text) + machine.end();
  return { text: clean, removed: machine.removed() };
}

/** Writes every control, invisible or non-ASCII look-alike character as an escape, for prompts that must not lie. */
export function visible(text: string): string {
  let shown = "";
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    const hidden = code < 0x20 || (code >= 0x7f && code <= 0x9f) || isInvisible(code);
    const lone = code >= 0xd800 && code <= 0xdfff;
    shown += hidden || lone ? `\\u{${code.toString(16)}}` : char;
  }
  return shown;
}
