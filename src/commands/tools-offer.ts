// The allowlist line of a tool: shown, or added after a yes. What the file holds already is never changed.
import { configError, systemCode } from "../errors.ts";
import { readOwnFile } from "../home.ts";
import { canAsk, confirm } from "../host/confirm.ts";
import { replaceFile } from "../host/files.ts";
import { parseAllowlist } from "../policy/allowlist.ts";
import { shortPath, type ToolsContext } from "./tools-folder.ts";

/** How a tool stands on the allowlist after the offer. */
export type AllowlistState = {
  readonly state: "listed" | "added" | "not_added";
  readonly file: string;
  readonly line: string;
  /** Where it stands, or null when it does not. */
  readonly source: string | null;
};

/** A list with one more line at its end; what is there stays byte for byte. */
export function withLine(text: string, line: string): string {
  const end = text.includes("\r\n") ? "\r\n" : "\n";
  const gap = text === "" || text.endsWith("\n") ? "" : end;
  return `${text}${gap}${line}${end}`;
}

function addLine(path: string, line: string): void {
  const text = readOwnFile(path) ?? "";
  if (parseAllowlist(text, path).entries.has(line)) return;
  try {
    replaceFile(path, withLine(text, line), 0o600);
  } catch (thrown) {
    const code = systemCode(thrown);
    if (code === undefined) throw thrown;
    throw configError(`${path} cannot be written (${code})`, `add the line ${line} yourself`);
  }
}

const sourceOf = (path: string, name: string): string | null =>
  parseAllowlist(readOwnFile(path) ?? "", path).entries.get(name)?.source ?? null;

/** Offers to allow a tool. Asks only at a terminal and in text mode; no answer means no. */
export async function offerLine(context: ToolsContext, name: string): Promise<AllowlistState> {
  const { config, host, mode } = context;
  const file = config.home.allowlist;
  const listed = sourceOf(file, name);
  if (listed !== null) return { state: "listed", file, line: name, source: listed };
  const question = `add the line ${name} to ${shortPath(config, file)}, so that the model may run it?`;
  const isWanted =
    mode === "text" && canAsk(host.stderr) && (await confirm(question, host.stderr, host.stop.signal));
  if (!isWanted) return { state: "not_added", file, line: name, source: null };
  addLine(file, name);
  return { state: "added", file, line: name, source: sourceOf(file, name) };
}

/** The outcome of an offer in one line. */
export function allowlistText(
  { config }: ToolsContext,
  { state, file, line, source }: AllowlistState,
): string {
  switch (state) {
    case "listed":
      return `${line} is on the allowlist already (${shortPath(config, source ?? file)})\n`;
    case "added":
      return `added to the allowlist (${shortPath(config, source ?? file)})\n`;
    case "not_added":
      return `to let the model run it, add this line to ${shortPath(config, file)}:\n${line}\n`;
  }
}
