// Rules of the commands that list processes and open files; ps has a file of its own. Data and checks only.
import { type Call, type CommandRule, command, optionProblem, type Problem, paths, values } from "./rule.ts";

const IDS = { pattern: /^[A-Za-z0-9_][A-Za-z0-9_.,+-]{0,200}$/, says: "a list of names or numbers is" };
const idsFor = (...names: readonly string[]): Record<string, typeof IDS> =>
  Object.fromEntries(names.map((name) => [name, IDS]));

const ROUNDS = /^[1-5]$/;
const DELAY = { pattern: /^[0-2](?:\.\d{1,2})?$/, says: "a delay below 3 s is" };

function fewRounds({ options, facts }: Call): Problem | null {
  const has = (wanted: readonly string[], test: (value: string | null) => boolean): boolean =>
    options.some(({ name, value }) => wanted.includes(name) && test(value));
  const rounds = (value: string | null): boolean => ROUNDS.test(value ?? "");
  if (facts.platform === "bsd") {
    return has(["-l"], rounds) ? null : optionProblem("use -l 1, at most 5 rounds");
  }
  const batch = has(["-b", "--batch-mode"], () => true);
  const every = options.filter(({ name }) => name === "-n" || name === "--iterations");
  return batch && every.length > 0 && every.every(({ value }) => rounds(value))
    ? null
    : optionProblem("use -b -n 1, batch mode and at most 5 rounds");
}

/** Options with a plus that only choose what is listed: link counts, widths of names, what is open below a folder. */
const LSOF_PLUS = /^\+(?:L\d{0,3}|c\d{0,2}|[dD])$/;
const LSOF_ADDRESS = /^[46]?[A-Za-z]*@(?:localhost|[\d.]{7,15}|\[[0-9A-Fa-f:.]+\])?(?::[\w,-]+)?$/;
const isFile = (word: string): boolean => /^\.{0,2}\//.test(word);

/**
 * lsof takes a value only when it does not start with a sign, and reads + as a second dash. A host after @ would be
 * looked up, and a looked-up name carries data out; -i takes it from the next argument, too.
 */
function lsofWords({ options, operands }: Call): Problem | null {
  const values = options.map(({ value }) => value ?? "");
  const signed = [...values, ...operands.filter((word) => !LSOF_PLUS.test(word))].find((word) =>
    /^[-+]/.test(word),
  );
  if (signed !== undefined)
    return optionProblem(`${signed} is not allowed: of options that start with + only +L, +c, +d and +D are`);
  const hosts = [
    ...options.filter(({ name }) => name === "-i").map(({ value }) => value ?? ""),
    ...operands.filter((word) => !isFile(word)),
  ];
  const host = hosts.find((word) => word.includes("@") && !LSOF_ADDRESS.test(word));
  if (host === undefined) return null;
  return { rule: "network", reason: `${host} would be looked up; numeric addresses and ports are allowed` };
}

/** The rules of pgrep, top, lsof and their like. */
export const PROCESS_RULES: readonly CommandRule[] = [
  command({
    names: ["pgrep"],
    does: "Finds processes by name. It cannot signal them.",
    options:
      "-acfilnovwxA -d= -gGPstuUr= -O=count --delimiter= --list-name --list-full --inverse --lightweight --count --full " +
      "--pgroup= --group= --ignore-case --newest --oldest --older=count --parent= --session= --terminal= --euid= " +
      "--uid= --exact --runstates= --ignore-ancestors",
    operands: values("text", 0, 1),
    values: idsFor("-g", "-G", "-P", "-s", "-t", "-u", "-U", "-r"),
    bsd: { options: "-afilnovxq -d= -gGPtuU=" },
    match: ["-fl node", "-u root", ["-a", "a|b"]],
    notMatch: ["-F file x", "--pidfile=x y", "-L -F x", "a b", "--full-x y", "-9 x"],
  }),
  command({
    names: ["pidof"],
    does: "Finds process numbers by program name.",
    options: "-csxqwn -o=word -S=",
    operands: values("text", 1, 16),
    match: ["-s sh"],
    notMatch: ["", "-z x"],
  }),
  command({
    names: ["pstree"],
    does: "Shows processes as a tree.",
    options:
      "-aAcghlGnpsStTuU -H=count -N=word -C=word --arguments --ascii --compact-not --show-pgids --long --numeric-sort " +
      "--show-pids --show-parents --ns-changes --thread-names --hide-threads --uid-changes --unicode",
    operands: values(IDS, 0, 1),
    bsd: { options: "-w -gl=count -pus=" },
    match: ["-p 1", "-a"],
    notMatch: ["1 2", "--arg"],
  }),
  command({
    names: ["top"],
    does: "Shows the busiest processes, at most 5 times.",
    options:
      "-bciSH1 -n= -d= -op= -uU= -w?small -eE=word --batch-mode --iterations= --delay= --sort-override=word --pid=word",
    // -w takes the next argument when it is a number.
    operands: values("small", 0, 1),
    values: {
      "-d": DELAY,
      "--delay": DELAY,
      "-o": { pattern: /^[-+]?[A-Za-z%+]{1,20}$/, says: "a field name is" },
      ...idsFor("-p", "-u", "-U"),
    },
    check: fewRounds,
    bsd: {
      options: "-l=small -n=small -o=word -s=small -F! -R! -u! -stats= -pid=count",
      parsing: { words: true },
      values: { "-s": { pattern: /^[0-2]$/, says: "a delay up to 2 s is" } },
    },
    match: ["-b -n 1", "-bn1 -o %MEM", "-b -n 2 -d 0.5 -w 200"],
    notMatch: ["", "-b", "-n 1", "-b -n 999", "-b -n 1 -n 50", "-b -n 2 -d 100", "-bn1x"],
  }),
  command({
    names: ["lsof"],
    does: "Lists open files and sockets, once. It looks no names up.",
    options: "-abhlnNPRtUVwXQ -cdpu= -i?text -g?text -s?text -F?word",
    operands: paths(0, 32),
    forced: ["-n"],
    check: lsofWords,
    match: [
      "-i :80",
      "-iTCP -sTCP:LISTEN -P",
      "-p 1",
      "-u root -a -i",
      "a.txt",
      "-nP +L1",
      "+D /var/log",
      "-i tcp@127.0.0.1:22",
      "-i@[::1]:80",
    ],
    notMatch: [
      "-r 1",
      "+r 1",
      "-r1",
      "-D /tmp",
      "+D ~/.ssh",
      "+m /tmp",
      "-d -r",
      "-k x",
      "-tr",
      "-c +r",
      "-c +L1",
      "-i @c2Vj.example.com",
      "-i@c2Vj.example.com:80",
      "-iTCP@dead.beef.de",
    ],
  }),
];
