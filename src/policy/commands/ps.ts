// The rule of ps, which reads three dialects at once and shows environments when it is asked in the wrong one.
//
//   ps    = { word }
//   word  = "-" letters [ value ] | "-NUM" | "--" name [ "=" ] value    Unix and GNU dialects
//         | "-aux"-like letters, never e                                read as BSD letters by Linux
//         | bsd letters [ value ] | NUM                                 BSD dialect; e shows environments: refused
//
// A value is an argument of its own: Linux reads `-uxe` as the BSD letters u, x and e when there is no user "xe".
import type { PathFacts } from "../paths.ts";
import { asksAboutItself, type CommandRule, type Judged, type Problem } from "./rule.ts";

const UNIX_LETTERS = new Set("AaedfFjlLTmMHwyNcZPM");
const UNIX_VALUES = new Set("opqCuUgGst");
const BSD_ONLY = /^-[auxwf]*x[auxwf]*$/;
const BSD_WORD = /^[auxwfjlvrhcSTmgn]+([okpU])?$/;
const LONG_FLAGS = new Set([
  "--forest",
  "--headers",
  "--no-headers",
  "--no-heading",
  "--cumulative",
  "--deselect",
]);
const LONG_VALUES = new Set(
  "--sort --format --pid --ppid --user --User --group --Group --tty --sid --cols --columns --width --rows --lines".split(
    " ",
  ),
);
const FIELDS = new Set(
  (
    "%cpu %mem args blocked bsdstart bsdtime c caught cgname cgroup cgroupns class cls cmd comm command context cp cpuid " +
    "cputime cputimes cuc cuu cpu drs egid egroup eip esp etime etimes euid euser exe f fgid fgroup flag flags fname " +
    "fuid fuser gid group ignored inblk ipcns jobc ktrace label lastcpu lim lstart lsession lwp machine maj_flt majflt " +
    "min_flt minflt mntns msgrcv msgsnd netns ni nice nivcsw nlwp nsigs nswap nvcsw numa nwchan oublk ouid oom oomadj " +
    "p_ru pagein paddr pcpu pending pgid pgrp pid pidns pmem policy ppid pri priority psr pss re rgid rgroup rops rss " +
    "rssize rsz rtprio ruid ruser s sched seat sess session sgi_p sgid sgroup sid sig sigcatch sigignore sigmask size sl " +
    "slice spid stackp start start_time stat state stime suid supgid supgrp suser svgid svuid sz tdev tgid thcount tid " +
    "time times timens tname tpgid trs tsess tsiz tt tty ucmd ucomm uid uname unit upr uprocp user userns uss usrpri utime " +
    "util uunit vsize vsz wbytes wchan wname wops wq xstat zone"
  ).split(" "),
);

const option = (reason: string): Problem => ({ rule: "option", reason });

const NO_ENVIRONMENT = option(
  "the environment of processes is not shown; use letters other than e, as in ps aux or ps -ef",
);

/** Fields are named; a header after = is text, a width after : a small number. */
function fieldsProblem(list: string): Problem | null {
  for (const item of list.replace(/=.*$/s, "").split(/[, ]+/)) {
    const [name = "", width = "1", more] = item.split(":");
    const known = FIELDS.has(name.replace(/^[-+]/, "")) || name === "";
    if (!known || more !== undefined || !/^\d{1,4}$/.test(width)) {
      return option(
        `the field ${JSON.stringify(item)} is not allowed; pid, ppid, user, stat, etime, pcpu, pmem, rss, comm, args and the like are`,
      );
    }
  }
  return null;
}

function valueProblem(name: string, value: string | undefined): Problem | null {
  if (value === undefined) return option(`${name} needs a value as the next argument`);
  if (["-o", "o", "k", "--sort", "--format"].includes(name)) return fieldsProblem(value);
  return /^[A-Za-z0-9_][A-Za-z0-9_.,/ +-]{0,200}$/.test(value)
    ? null
    : option(`${JSON.stringify(value)} is not a list of names or numbers for ${name}`);
}

/** What reading one word found: how many arguments it took, or a problem. */
type Read = { readonly used: number; readonly dialect: "unix" | "bsd" } | Problem;

function readLong(args: readonly string[], at: number): Read {
  const [name = "", ...rest] = (args[at] ?? "").split("=");
  if (LONG_FLAGS.has(name) && rest.length === 0) return { used: 1, dialect: "unix" };
  if (!LONG_VALUES.has(name))
    return option(`${name} is not allowed; ${[...LONG_VALUES].slice(0, 5).join(" ")} and the like are`);
  const attached = rest.length > 0;
  const problem = valueProblem(name, attached ? rest.join("=") : args[at + 1]);
  return problem ?? { used: attached ? 1 : 2, dialect: "unix" };
}

function readUnix(args: readonly string[], at: number, platform: PathFacts["platform"]): Read {
  const word = args[at] ?? "";
  if (BSD_ONLY.test(word)) return { used: 1, dialect: "bsd" };
  if (platform === "bsd" && word.includes("E")) return NO_ENVIRONMENT;
  const letters = [...word.slice(1)];
  for (const [index, letter] of letters.entries()) {
    if (UNIX_VALUES.has(letter)) {
      // Numbers are no letters of the BSD dialect.
      if (letter === "p" && /^\d{1,9}(?:,\d{1,9})*$/.test(letters.slice(index + 1).join("")))
        return { used: 1, dialect: "unix" };
      if (index < letters.length - 1)
        return option(`-${letter} is the last letter, and its value the next argument`);
      return valueProblem(`-${letter}`, args[at + 1]) ?? { used: 2, dialect: "unix" };
    }
    if (!UNIX_LETTERS.has(letter))
      return option(`-${letter} is not allowed; ps aux, ps -ef and ps -o FIELDS are`);
  }
  return letters.length > 0 ? { used: 1, dialect: "unix" } : option("a lone dash is not allowed");
}

function readBsd(args: readonly string[], at: number): Read {
  const word = args[at] ?? "";
  if (/^\d{1,9}(?:,\d{1,9})*$/.test(word)) return { used: 1, dialect: "unix" };
  const match = BSD_WORD.exec(word) ?? /^([okpU])$/.exec(word);
  if (match === null) {
    return word.includes("e")
      ? NO_ENVIRONMENT
      : option(`${JSON.stringify(word)} is not allowed; letters such as aux are`);
  }
  const letter = match[1];
  if (letter === undefined) return { used: 1, dialect: "bsd" };
  return valueProblem(letter, args[at + 1]) ?? { used: 2, dialect: "bsd" };
}

function judge(args: readonly string[], facts: PathFacts, name: string): Judged {
  if (asksAboutItself(args)) return { ok: true, args };
  const dialects = new Set<string>();
  for (let at = 0; at < args.length; ) {
    const word = args[at] ?? "";
    const read = word.startsWith("--")
      ? readLong(args, at)
      : word.startsWith("-")
        ? readUnix(args, at, facts.platform)
        : readBsd(args, at);
    if ("reason" in read) return { ok: false, rule: read.rule, reason: `${name}: ${read.reason}` };
    dialects.add(read.dialect);
    at += read.used;
  }
  // Next to BSD letters, a -e could be read as one of them.
  const everything = args.some((word) => /^-[A-Za-z]*e/.test(word));
  if (everything && dialects.has("bsd")) {
    return { ok: false, rule: NO_ENVIRONMENT.rule, reason: `${name}: ${NO_ENVIRONMENT.reason}` };
  }
  return { ok: true, args };
}

/** The rule of ps. */
export const PS_RULE: CommandRule = {
  kind: "parser",
  names: ["ps"],
  does: "Lists processes with their arguments, but not their environments.",
  level: "read",
  judge,
  match: [
    "",
    "aux",
    "-ef",
    "-aux",
    "aux --sort=-%cpu",
    "-eo pid,ppid,comm,args --sort=-rss",
    "axo pid,comm",
    "-p 1",
    "-p1,2 -o args=",
    "-fp1",
    "-u root -o pid,etime",
    "-C node",
    ["-o", "pid=,args="],
    "1",
  ],
  notMatch: [
    "auxe",
    "e",
    "axeww",
    "-auxe",
    "-uxe",
    "-E",
    "-ef e",
    "-o pid,environ",
    "-u x -e u",
    "-o pid:99999999",
    "--pers=x",
    "-opid",
    "-p1e",
    "-p1 -u1",
  ],
};
