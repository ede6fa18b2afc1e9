// The words of the policy: what a call is, what the allowlist says, what was decided. Types and constants only.
import type { PathFacts } from "./paths.ts";

/** One program of a call, as the model asked for it. */
export type StageCall = { readonly command: string; readonly args: readonly string[] };

/** What a tool call wants done: one program, or 2 to 16 as a pipeline. */
export type Action = { readonly stages: readonly StageCall[] };

/** What one line of the allowlist allows. */
export type AllowEntry = {
  readonly name: string;
  /** Lifts the argument rules; the only way to allow a program that starts other programs. */
  readonly unrestricted: boolean;
  /** Needs a yes from a person. */
  readonly ask: boolean;
  readonly network: boolean;
  /** First arguments allowed; null means any. */
  readonly subcommands: readonly string[] | null;
  /** Where the line stands, as `file:line`. */
  readonly source: string;
};

/**
 * What runs without a question: with `read` what only reads does and the rest asks, with `ask` everything asks,
 * with `auto` nothing does.
 */
export type Level = "read" | "ask" | "auto";

/** Which tools have the network: those that declare it, all that can use it, or none. */
export type NetworkChoice = "declared" | "all" | "none";

/** The policy of one run. */
export type Policy = {
  readonly entries: ReadonlyMap<string, AllowEntry>;
  /** Names taken away for this run. */
  readonly denied: ReadonlySet<string>;
  /** Refuses shell characters for every command. */
  readonly strictArguments: boolean;
  readonly level: Level;
  readonly network: NetworkChoice;
};

/** A file that was judged: it must still be this one when it is started. */
export type Identity = {
  readonly device: number;
  readonly inode: number;
  readonly size: number;
  readonly modifiedMs: number;
};

/** An executable found for a name. */
export type Located = { readonly path: string; readonly identity: Identity };

/** One program as it will be started. */
export type Permit = {
  readonly executable: Located;
  /** The Python tool the interpreter is started for; null for any other program. */
  readonly script: Located | null;
  /** Full argv, the name first. */
  readonly argv: readonly string[];
  readonly network: boolean;
  /** Variables a Python tool declared and the user has. */
  readonly environment: Readonly<Record<string, string>>;
  /** Limits a Python tool declared for itself; null where it did not. */
  readonly timeoutMs: number | null;
  readonly outputMax: number | null;
  /** The user lifted the argument rules: it may start any program. */
  readonly unrestricted: boolean;
  /** May change files below the current directory. */
  readonly writes: boolean;
  /** May see the names in folders that also hold credentials, a home for one; the kernel cannot tell them apart. */
  readonly listsHomes: boolean;
  /** May ask the kernel about interfaces, routes and sockets: no other machine is reached by that. */
  readonly kernelSockets: boolean;
  /** May talk to services of this machine over local sockets: the list names what it may ask of them. */
  readonly localSockets: boolean;
  /** Its own rule says it cannot work without starting programs of the system, as `man` does. */
  readonly helpers: boolean;
};

/** The rule a decision rests on. */
export type RuleName =
  | "listed"
  | "malformed"
  | "name"
  | "not-listed"
  | "denied-for-this-run"
  | "too-long"
  | "control-character"
  | "shell-character"
  | "runs-programs"
  | "subcommand"
  | "option"
  | "operand"
  | "path"
  | "program-text"
  | "network"
  | "needs-a-yes"
  | "approved"
  | "declined"
  | "planned"
  | "not-in-plan"
  | "not-installed"
  | "not-trusted"
  | "no-interpreter";

/** What was decided about an action. */
export type Decision =
  | {
      readonly verdict: "allow";
      readonly rule: RuleName;
      readonly permits: readonly Permit[];
      readonly source: string;
    }
  /** It runs when a person says yes. */
  | {
      readonly verdict: "ask";
      readonly rule: "needs-a-yes";
      readonly permits: readonly Permit[];
      /** Why a yes is needed. */
      readonly reason: string;
      readonly source: string;
    }
  | {
      readonly verdict: "deny";
      readonly rule: RuleName;
      /** One or two sentences: why, and what would be allowed. */
      readonly reason: string;
      /** The stage that was refused, from 0. */
      readonly stage: number;
      readonly source: string | null;
    };

/** What looking for an executable found. */
export type Lookup =
  | { readonly ok: true; readonly located: Located }
  | {
      readonly ok: false;
      readonly rule: "not-installed" | "not-trusted" | "no-interpreter";
      readonly reason: string;
    };

/** What a Python tool declares about itself. */
export type ToolFacts = {
  readonly network: boolean;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number | null;
  readonly outputMax: number | null;
};

/** Facts of the machine the policy needs; asked, never assumed. */
export type World = {
  /** Files and folders, and which of them no tool may read. */
  readonly paths: PathFacts;
  /** Finds a Unix executable by bare name on the fixed PATH. */
  readonly findExecutable: (name: string) => Lookup;
  /** Finds a Python tool by file name. */
  readonly findTool: (name: string) => Lookup;
  /** The interpreter a Python tool runs with, by the path of its script. */
  readonly findPython: (script: string) => Lookup;
  /** What a Python tool declares, by the path of its script. */
  readonly toolFacts: (script: string) => ToolFacts;
};

/** How a Python tool's interpreter is started; the tool cannot be shadowed by files around it. */
export const PYTHON_FLAGS: readonly string[] = ["-I", "-X", "utf8", "-u", "-B"];
