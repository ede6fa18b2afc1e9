// How `ash tools list` looks: a table for people. Pure text.
import { clip } from "../layout.ts";

type Problem = { readonly line: number | null; readonly message: string };

/** One tool as `ash tools list --json` prints it. */
export type ToolRow = {
  readonly name: string;
  /** Null when only the allowlist knows it. */
  readonly path: string | null;
  readonly capability: string | null;
  readonly allowlisted: boolean;
  /** The line that allows it, or null. */
  readonly source: string | null;
  /** Why it is not allowed, with the line to add; null when it is. */
  readonly reason: string | null;
  readonly interpreter: string | null;
  readonly python: string | null;
  readonly requires_python: string | null;
  readonly network: boolean;
  readonly env: readonly string[];
  readonly requires: readonly string[];
  readonly dependencies: "none" | "ready" | "missing";
  /** The command that installs them; null when there is nothing to install. */
  readonly install: string | null;
  readonly problems: readonly Problem[];
};

const COLUMNS = ["NAME", "ALLOWED", "NETWORK", "PACKAGES", "CAPABILITY"] as const;
const PACKAGES = { none: "none", ready: "ready", missing: "not ready" } as const;
const CAPABILITY_SHOWN = 70;

function cells({
  name,
  path,
  allowlisted,
  source,
  network,
  dependencies,
  capability,
}: ToolRow): readonly string[] {
  const line = source?.split("/").at(-1) ?? "";
  if (path === null) return [name, `yes (${line})`, "", "", "(missing)"];
  return [
    name,
    allowlisted ? `yes (${line})` : "no",
    network ? "yes" : "no",
    PACKAGES[dependencies],
    clip(capability ?? "–", CAPABILITY_SHOWN),
  ];
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = COLUMNS.map((_, i) => Math.max(...rows.map((row) => Bun.stringWidth(row[i] ?? ""))));
  const pad = (cell: string, i: number): string =>
    i === COLUMNS.length - 1 ? cell : cell + " ".repeat((widths[i] ?? 0) - Bun.stringWidth(cell) + 2);
  return rows.map((row) => `${row.map(pad).join("").trimEnd()}\n`).join("");
}

/** What a tool needs that is not there: packages, or just another Python. */
const needs = ({ requires, requires_python: python }: ToolRow): string =>
  requires.length === 0 && python !== null ? `Python ${python}` : requires.join(", ");

function notes(row: ToolRow): readonly string[] {
  return [
    ...(row.reason === null ? [] : [`${row.name}: ${row.reason}`]),
    ...(row.env.length === 0 ? [] : [`${row.name}: is given ${row.env.join(", ")}`]),
    ...(row.dependencies === "missing" ? [`${row.name}: needs ${needs(row)}; run: ${row.install}`] : []),
    ...row.problems.map(({ line, message }) =>
      line === null ? `${row.name}: ${message}` : `${row.name}:${line}: ${message}`,
    ),
  ];
}

/** Which interpreter runs which tools; the names only where they differ. */
function interpreters(rows: readonly ToolRow[]): readonly string[] {
  const groups = Map.groupBy(
    rows.filter(({ interpreter }) => interpreter !== null),
    ({ interpreter, python }) => (python === null ? `${interpreter}` : `${interpreter} (${python})`),
  );
  return [...groups].map(([interpreter, tools]) =>
    groups.size === 1
      ? `python: ${interpreter}`
      : `python: ${interpreter}: ${tools.map(({ name }) => name).join(", ")}`,
  );
}

/** The tools as a table, then what there is to say about them, then the interpreters. */
export function listText(rows: readonly ToolRow[]): string {
  const blocks = [rows.flatMap(notes), interpreters(rows)].filter((lines) => lines.length > 0);
  return [table([COLUMNS, ...rows.map(cells)]), ...blocks.map((lines) => `${lines.join("\n")}\n`)].join("\n");
}
