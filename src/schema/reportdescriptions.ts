// What every key of the reports means, by its path. Texts only.
import { type Descriptions, RESULT } from "./descriptions.ts";

const within = (from: string, to: string): Descriptions =>
  Object.fromEntries(
    Object.entries(RESULT)
      .filter(([path]) => path.startsWith(from) && (from !== "" || !/^(?:tools|denials)\b/.test(path)))
      .map(([path, text]) => [`${to}${path.slice(from.length)}`, text]),
  );

const COMMON: Descriptions = {
  schema: "The name and version of this shape.",
  exit_code: "The exit code of the process.",
};

/** The object of `ash doctor --json`. */
export const DOCTOR: Descriptions = {
  ...COMMON,
  status: "The worst status of all checks.",
  ash_version: "The version of ash.",
  online: "True when the model was asked too.",
  checks: "Everything that was looked at, in order.",
  "checks[].id": "What was looked at; stable from version to version.",
  "checks[].status": "ok, warn: works with less than it could, fail: does not work.",
  "checks[].message": "What was found, in one sentence.",
  "checks[].fix": "What to do about it, or null.",
  "checks[].facts": "The single facts behind the sentence; which there are depends on the check.",
  counts: "How many checks have each status.",
  "counts.ok": "Checks that are ok.",
  "counts.warn": "Checks with a warning.",
  "counts.fail": "Checks that failed.",
  duration_ms: "How long it took, in milliseconds.",
};

/** The object of `ash config --json`. */
export const SETTINGS: Descriptions = {
  ...COMMON,
  status: "Always ok: anything else is an error object.",
  home: "The folder ash keeps its files in.",
  settings: "Every setting.",
  "settings[].name": "Its name.",
  "settings[].value": "Its value; a secret is only `set` or `not set`.",
  "settings[].unit": "The unit of the value, or null.",
  "settings[].shown": "Its value as one would write it.",
  "settings[].origin": "Where it comes from: `flag --NAME`, `env NAME`, a file's path, or `default`.",
  "settings[].default": "Its value when nobody says.",
  "settings[].flag": "The flag that sets it, without dashes, or null.",
  "settings[].env": "The variables that set it; the first one set wins.",
  "settings[].toml": "Its key in config.toml, or null.",
  "settings[].help": "What it does.",
  permissions: "What tools may do in a run with these settings.",
  "permissions.source": "Where the list of tools comes from.",
  "permissions.allow": "The tools that may run.",
  "permissions.deny": "Tools that are taken away.",
  "permissions.unrestricted": "Allowed tools without argument rules.",
  "permissions.ask": "Allowed tools that need a yes from a person.",
  "permissions.network":
    "Allowed tools with the network: by the list, or because the Python tool declares it.",
  "permissions.level": "What runs unasked.",
  "permissions.strict_arguments": "True when shell characters are refused for every command.",
  "permissions.sandbox": "Which locks would hold around tools; null when the wanted ones are not to be had.",
  model: "The model server a run with these settings would ask.",
  "model.provider": "The preset.",
  "model.base_url": "The address; null when the preset is unknown.",
  "model.model": "The model; null when none is chosen.",
  "model.key": "Whether there is a key that goes to this address.",
  "model.key_origin": "Where the key comes from, or null.",
  "model.problem": "Why a run could not ask the model, or null.",
  warnings: "What is worth knowing about the settings.",
};

const SUMMARY: Descriptions = {
  id: "The session's id; ids sort by time.",
  path: "Its file.",
  started: "When it began (UTC); null when its first line cannot be read.",
  updated: "When it was last written (UTC).",
  running: "True while a run writes it.",
  prompt: "The first line of its first prompt, or null.",
  status: "The status of its last run; null when that has not ended.",
  exit_code: "The exit code of its last run; null when that has not ended.",
  turns: "Requests its last run made to the model; null when that has not ended.",
  model: "The model of its last run, or null.",
  folder: "The folder it began in, or null.",
  bytes: "The size of its file.",
};

/** The object of `ash sessions list|rm|path --json`. */
export const SESSIONS: Descriptions = {
  ...COMMON,
  status: "Always ok: anything else is an error object.",
  action: "list: these are saved. rm: these were removed. path: where it is.",
  folder: "The folder of the sessions.",
  total: "How many sessions were saved before the command.",
  sessions: "The sessions, the one written last first.",
  ...Object.fromEntries(Object.entries(SUMMARY).map(([key, text]) => [`sessions[].${key}`, text])),
};

/** The object of `ash sessions show --json`. */
export const SESSION: Descriptions = {
  ...COMMON,
  status: "Always ok: anything else is an error object.",
  id: "The session's id.",
  path: "Its file.",
  running: "True while a run writes it.",
  lost_lines: "Lines that cannot be read, as a crash leaves them.",
  runs: "The runs of the session in the order they began.",
  "runs[].run": "The id of the run.",
  "runs[].started": "When it began (UTC), or null.",
  "runs[].prompt": "What was asked, or null.",
  "runs[].provider": "The model server's preset, or null.",
  "runs[].model": "The model that was asked, or null.",
  "runs[].folder": "The folder the tools ran in, or null.",
  "runs[].entries": "What was said and called, in order.",
  "runs[].entries[].type": "text: something was said. call: a tool was called.",
  "runs[].entries[].role": "Who said it.",
  "runs[].entries[].text": "What was said.",
  "runs[].entries[].call": "The call and how it ended.",
  ...within("tools[]", "runs[].entries[].call"),
  "runs[].entries[].reason": "Why the policy refused it, or null.",
  "runs[].entries[].output": "What the model was given as the call's result, or null.",
  "runs[].result": "How the run ended, as ash --json says it; null when it has not.",
  ...within("", "runs[].result."),
};

/** The object of `ash init --json`. */
export const INIT: Descriptions = {
  ...COMMON,
  status: "ok, error or interrupted.",
  home: "The folder ash keeps its files in.",
  dry_run: "True when nothing was changed.",
  files: "Every file ash installs.",
  "files[].path": "Its path below the home.",
  "files[].action": "What was done; kept: you changed it, and the new version is beside it.",
  "files[].beside":
    "Where below the home the new version (kept) or the version before (replaced) is: NAME.new or NAME.old, with a number when that is a file of yours; else null.",
  python: "The Python environment of the bundled tools.",
  "python.state": "What became of it.",
  "python.folder": "Its folder.",
  "python.version": "The version of its Python, or null.",
  error: "Why the status is not ok, or null.",
  ...within("error.", "error."),
  duration_ms: "How long it took, in milliseconds.",
};

/** The object of `ash models --json`. */
export const MODELS: Descriptions = {
  ...COMMON,
  status: "ok, error or interrupted.",
  provider: "The model server's preset; null when the command line or the configuration is wrong.",
  base_url: "The address that was asked, or null.",
  models: "The models the server lists, in its order.",
  "models[].id": "What --model takes.",
  "models[].display_name": "The name for people, where the server gives another than the id; else null.",
  "models[].context_tokens": "How many tokens fit into one request, or null when the server does not say.",
  error: "Why the status is not ok, or null.",
  ...within("error.", "error."),
  duration_ms: "How long it took, in milliseconds.",
};

/** The object of `ash batch --json`. */
export const BATCH_REPORT: Descriptions = {
  ...COMMON,
  status: "ok: every prompt has an answer; incomplete: some have none; error, interrupted: see error.",
  output: "The file of the results, as it was named.",
  prompts: "Counts of prompts.",
  "prompts.answered": "Those with an answer, also of earlier runs.",
  "prompts.failed": "Those without one, for which asking again would not help.",
  "prompts.again": "Those without one, for which the same command may get one.",
  "prompts.earlier": "Those among all these that an earlier run had finished.",
  error: "What stopped the batch before its last prompt, or null.",
  ...within("error.", "error."),
  duration_ms: "How long it took, in milliseconds.",
};
