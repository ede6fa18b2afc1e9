// The environment a tool gets: built from nothing, never inherited, never with a key.

/** Facts the environment is built from; text as the user's own environment has it, checked before use. */
export type EnvironmentFacts = {
  readonly home: string;
  readonly user: string;
  readonly language: string | undefined;
  readonly timeZone: string | undefined;
};

/** Where executables are looked for, and the PATH every tool sees. */
export const SYSTEM_PATH: readonly string[] = ["/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/local/bin"];

/** The variable that marks every process of a call with the call's id. */
export const CALL_MARK = "ASH_CALL";

// In other character sets a byte of a character can be a quote or a backslash, and programs read their arguments
// otherwise than they were judged.
const LOCALE = /^(?:C|POSIX|[A-Za-z]{1,8}(?:_[A-Za-z]{2,4})?\.utf-?8(?:@[a-z]{1,12})?)$/i;
const ZONE = /^[A-Za-z0-9_+-]{1,32}(\/[A-Za-z0-9_+-]{1,32}){0,2}$/;

/** Builds the environment of one call. `extra` holds what the tool declared and the user gave it. */
export function toolEnvironment(
  facts: EnvironmentFacts,
  call: {
    readonly mark: string;
    readonly temporaryFolder: string;
    readonly extra?: Readonly<Record<string, string>>;
  },
): Readonly<Record<string, string>> {
  const language = facts.language !== undefined && LOCALE.test(facts.language) ? facts.language : "C.UTF-8";
  const zone = facts.timeZone !== undefined && ZONE.test(facts.timeZone) ? { TZ: facts.timeZone } : {};
  return {
    ...call.extra,
    PATH: SYSTEM_PATH.join(":"),
    HOME: facts.home,
    USER: facts.user,
    LOGNAME: facts.user,
    LANG: language,
    ...zone,
    TERM: "dumb",
    NO_COLOR: "1",
    TMPDIR: call.temporaryFolder,
    // What a program wants to remember goes where it is thrown away.
    XDG_CONFIG_HOME: call.temporaryFolder,
    XDG_CACHE_HOME: call.temporaryFolder,
    XDG_DATA_HOME: call.temporaryFolder,
    XDG_STATE_HOME: call.temporaryFolder,
    PAGER: "cat",
    MANPAGER: "cat",
    GIT_PAGER: "cat",
    LESSSECURE: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_ALLOW_PROTOCOL: "none",
    PYTHONUTF8: "1",
    [CALL_MARK]: call.mark,
  };
}
