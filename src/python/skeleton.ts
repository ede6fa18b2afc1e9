// The text of a new tool and of its test, from a name, a description and its options. Pure but for the embedded
// templates; it writes no file.
import { assetBytes } from "../host/assets.ts";
import type { Parsed } from "../limits.ts";
import { PYTHON_KEYWORDS } from "./modulenames.ts";

/** The types an option can have. */
export const OPTION_TYPES = ["str", "int", "float", "bool"] as const;

/** One option of a new tool. */
export type NewOption = {
  /** Without the dashes. */
  readonly name: string;
  readonly type: (typeof OPTION_TYPES)[number];
};

/** What a new tool is to be. */
export type NewTool = {
  /** Without .py. */
  readonly name: string;
  readonly description: string;
  /** The first one that takes a value is required. */
  readonly options: readonly NewOption[];
};

const bad = (problem: string): Parsed<never> => ({ ok: false, problem });

/** Reads `NAME` or `NAME:TYPE`. */
export function parseOption(text: string): Parsed<NewOption> {
  const [name = "", type = "str", ...more] = text.replace(/^--/, "").split(":");
  if (more.length > 0) return bad("has more than one colon (write NAME or NAME:TYPE)");
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) || name.length > 41)
    return bad("is no option name (write lower-case letters, digits and dashes)");
  if (name === "help" || name === "ai-docs") return bad("is an option every tool has");
  if (name === "status") return bad("is the field every answer has; choose another name");
  const known = OPTION_TYPES.find((item) => item === type);
  if (known === undefined) return bad(`has no known type (use ${OPTION_TYPES.join(", ")})`);
  return { ok: true, value: { name, type: known } };
}

const PLACEHOLDERS: Readonly<Record<NewOption["type"], string>> = {
  str: "TEXT",
  int: "N",
  float: "NUMBER",
  bool: "",
};
const SAMPLES: Readonly<Record<NewOption["type"], string>> = {
  str: "example",
  int: "3",
  float: "2.5",
  bool: "",
};
const SAMPLE_VALUES: Readonly<Record<NewOption["type"], string>> = {
  str: '"example"',
  int: "3",
  float: "2.5",
  bool: "True",
};

/** The name of an option as a Python attribute. */
function attribute({ name }: NewOption): string {
  const plain = name.replaceAll("-", "_");
  return PYTHON_KEYWORDS.has(plain) ? `${plain}_` : plain;
}

/** A text inside a Python string in double quotes, single or triple. */
const quotedText = (text: string): string => text.replace(/["\\]/g, "\\$&");

const requiredOf = ({ options }: NewTool): NewOption | undefined =>
  options.find(({ type }) => type !== "bool");

function optionLine(option: NewOption, isRequired: boolean): string {
  const { name, type } = option;
  const plain = name.replaceAll("-", "_");
  const kind: Readonly<Record<NewOption["type"], string>> = {
    str: ', metavar="TEXT"',
    int: ', type=int, metavar="N"',
    float: ', type=finite, metavar="NUMBER"',
    bool: ', action="store_true"',
  };
  const needed = isRequired ? ", required=True" : "";
  const place = attribute(option) === plain ? "" : `, dest="${attribute(option)}"`;
  return `    parser.add_argument("--${name}"${kind[type]}${needed}${place}, help="say here what --${name} means")`;
}

function documentedOption({ name, type }: NewOption, isRequired: boolean): string {
  const form = type === "bool" ? `--${name}` : `--${name} ${PLACEHOLDERS[type]}`;
  return `- \`${form}\`${isRequired ? " (required)" : ""}: say here what --${name} means.`;
}

/** A wrong number must not become a NaN that JSON does not know. */
const FINITE = `def finite(text):
    """Reads a number that is neither NaN nor infinite."""
    number = float(text)
    if not abs(number) < float("inf"):
        raise ValueError
    return number


`;

const filled = (template: string, values: Readonly<Record<string, string>>): string =>
  new TextDecoder()
    .decode(assetBytes(`bootstrap/${template}`))
    .replace(/@([A-Z_]+)@/g, (whole, key: string) => values[key] ?? whole);

/** A call with every option, as words. */
const sampleArguments = ({ options }: NewTool): readonly string[] =>
  options.flatMap(({ name, type }) => (type === "bool" ? [`--${name}`] : [`--${name}`, SAMPLES[type]]));

/** The script of a new tool. */
export function toolText(tool: NewTool): string {
  const { name, description, options } = tool;
  const required = requiredOf(tool);
  const fields = options.map((option) => `"${option.name}": options.${attribute(option)}`);
  return filled("skeleton.py", {
    NAME: name,
    DESCRIPTION: quotedText(description),
    ARGUMENTS:
      options.length === 0
        ? "None."
        : options.map((option) => documentedOption(option, option === required)).join("\n"),
    FIELDS:
      options.length === 0
        ? "nothing else yet."
        : `${options.map((option) => `\`${option.name}\``).join(", ")}, as they were given.`,
    EXAMPLE: [`${name}.py`, ...sampleArguments(tool)].join(" "),
    HELPERS: options.some(({ type }) => type === "float") ? FINITE : "",
    OPTIONS: options
      .map(
        (option) => `${optionLine(option, option === required)}
`,
      )
      .join(""),
    RESULT: `{${fields.join(", ")}}`,
  });
}

/** The test of a new tool. */
export function testText(tool: NewTool): string {
  const { name, options } = tool;
  const required = requiredOf(tool);
  const argumentsText = sampleArguments(tool)
    .map((word) => `, "${word}"`)
    .join("");
  const assertions = options.map(
    (option) => `        self.assertEqual(answer["${option.name}"], ${SAMPLE_VALUES[option.type]})\n`,
  );
  const requiredTest =
    required === undefined
      ? ""
      : `    def test_refuses_a_call_without_its_required_option(self):
        self.assertIn("--${required.name}", self.answer(2)["message"])

`;
  return filled("skeleton_test.py", {
    NAME: name,
    TEST: `test_${name}.py`,
    CLASS: name
      .split("_")
      .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
      .join(""),
    ARGUMENTS: argumentsText,
    REQUIRED_TEST: requiredTest,
    ASSERTIONS: assertions.join(""),
  });
}
