// Builds tiny wheels: zip archives with one module each, the same bytes every time.
import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";

/** A package file as an index serves it. */
export type Wheel = {
  readonly project: string;
  readonly version: string;
  readonly file: string;
  readonly bytes: Uint8Array;
  /** SHA-256 in hexadecimal. */
  readonly sha256: string;
};

/** What goes into a wheel besides its name. */
export type WheelParts = {
  readonly version?: string;
  /** Source of the module; without it the module has only a VERSION. */
  readonly source?: string;
  readonly requires?: readonly string[];
};

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
/** 1980-01-01, the first day a zip archive knows. */
const DATE = 0x21;
const REGULAR_FILE = 0o100644;

function record(signature: number, fields: readonly (readonly [bytes: 2 | 4, value: number])[]): Buffer {
  const buffer = Buffer.alloc(4 + fields.reduce((sum, [size]) => sum + size, 0));
  buffer.writeUInt32LE(signature, 0);
  let at = 4;
  for (const [size, value] of fields) {
    if (size === 2) buffer.writeUInt16LE(value, at);
    else buffer.writeUInt32LE(value, at);
    at += size;
  }
  return buffer;
}

/** A zip archive of uncompressed files. */
function zip(files: readonly (readonly [name: string, text: string])[]): Uint8Array {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of files) {
    const data = Buffer.from(text);
    const path = Buffer.from(name);
    const shared = [
      [2, 20],
      [2, 0],
      [2, 0],
      [2, 0],
      [2, DATE],
      [4, crc32(data)],
      [4, data.length],
      [4, data.length],
      [2, path.length],
      [2, 0],
    ] as const;
    const local = Buffer.concat([record(LOCAL, shared), path, data]);
    const rest = [
      [2, 0],
      [2, 0],
      [2, 0],
      [4, REGULAR_FILE * 0x10000],
      [4, offset],
    ] as const;
    directory.push(record(CENTRAL, [[2, 0x0314], ...shared, ...rest]), path);
    parts.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const count = files.length;
  const end = record(END, [
    [2, 0],
    [2, 0],
    [2, count],
    [2, count],
    [4, central.length],
    [4, offset],
    [2, 0],
  ]);
  return Buffer.concat([...parts, central, end]);
}

const digest = (data: string | Uint8Array, encoding: "hex" | "base64url"): string =>
  createHash("sha256").update(data).digest(encoding);

/** Builds a wheel with one module, named like the project, and a command of that name. */
export function makeWheel(project: string, parts: WheelParts = {}): Wheel {
  const { version = "1.0", requires = [] } = parts;
  const source = `${parts.source ?? ""}\nVERSION = "${version}"\ndef main(): print("${project} ${version}")\n`;
  const info = `${project}-${version}.dist-info`;
  const metadata = [
    "Metadata-Version: 2.1",
    `Name: ${project}`,
    `Version: ${version}`,
    ...requires.map((requirement) => `Requires-Dist: ${requirement}`),
  ];
  const files = [
    [`${project}.py`, source],
    [`${info}/METADATA`, `${metadata.join("\n")}\n`],
    [`${info}/WHEEL`, "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"],
    [`${info}/entry_points.txt`, `[console_scripts]\n${project} = ${project}:main\n`],
  ] as const;
  const list = files.map(([name, text]) => `${name},sha256=${digest(text, "base64url")},${text.length}\n`);
  const bytes = zip([...files, [`${info}/RECORD`, `${list.join("")}${info}/RECORD,,\n`]]);
  return {
    project,
    version,
    file: `${project}-${version}-py3-none-any.whl`,
    bytes,
    sha256: digest(bytes, "hex"),
  };
}
