// Rules of the commands that say where one is, who is there and how the machine is set up. Data and checks only.
import { type Call, type CommandRule, command, NONE, operandProblem, type Problem, values } from "./rule.ts";

const USER = { pattern: /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,31}$/, says: "a user name is" };
const NAME = { pattern: /^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$/, says: "a bare command name is" };
const PAGE = { pattern: /^[A-Za-z0-9_[][A-Za-z0-9_.+:@[-]{0,79}$/, says: "a page name without / is" };

/** `who am i` is another spelling of -m; one operand alone would be a file. */
function whoWords({ operands }: Call): Problem | null {
  const isQuestion = operands.length === 0 || (operands[0] === "am" && /^i$/i.test(operands[1] ?? ""));
  return isQuestion ? null : operandProblem("no operands are allowed, but am i");
}

/** Public databases only: hosts would ask name servers, and shadow holds passwords. */
const DATABASE = {
  pattern: /^(?:passwd|group|services|protocols|rpc|initgroups)$/,
  says: "passwd, group, services, protocols, rpc and initgroups are",
};

function localeNames({ operands }: Call): Problem | null {
  const wrong = operands.find((operand) => !/^[A-Za-z_-]{1,40}$/.test(operand));
  return wrong === undefined
    ? null
    : operandProblem(`${wrong} is not the name of a locale category or keyword`);
}

const simple = (name: string, does: string, options = "", bsd?: string): CommandRule =>
  command({
    names: [name],
    does,
    options,
    operands: NONE,
    ...(bsd === undefined ? {} : { bsd: { options: bsd } }),
    match: [""],
    notMatch: ["x", "--nonsense"],
  });

/** The rules of id, uname, man and their like. */
export const SYSTEM_RULES: readonly CommandRule[] = [
  simple("whoami", "Prints the user's name."),
  simple("logname", "Prints the login name."),
  simple("arch", "Prints the machine's architecture."),
  simple("tty", "Says whether there is a terminal.", "-s --silent --quiet"),
  simple("hostid", "Prints the machine's number."),
  simple("users", "Prints who is logged in."),
  simple("lsmod", "Lists loaded kernel modules."),
  simple(
    "sw_vers",
    "Shows the version of macOS.",
    "--productName --productVersion --buildVersion -productName! -productVersion! -buildVersion!",
  ),
  simple("vm_stat", "Shows memory use of macOS, once."),
  simple("env", "Prints the environment tools get. It starts no program."),
  simple("uptime", "Says how long the machine is up.", "-ps --pretty --since", ""),
  command({
    names: ["nproc"],
    does: "Prints the number of processors.",
    options: "--all --ignore=small",
    operands: NONE,
    match: ["", "--all"],
    notMatch: ["--al", "x"],
  }),
  command({
    names: ["uname"],
    does: "Prints the system's name and version.",
    options:
      "-asnrvmpio --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor " +
      "--hardware-platform --operating-system",
    operands: NONE,
    match: ["-a", ""],
    notMatch: ["-S name", "x"],
  }),
  command({
    names: ["hostname"],
    does: "Prints the host's name and addresses. It cannot set them.",
    kernelSockets: true,
    options: "-fsdiIA --fqdn --long --short --domain --ip-address --all-ip-addresses --all-fqdns",
    operands: NONE,
    bsd: { options: "-fsd" },
    match: ["", "-f", "-I"],
    notMatch: ["evil", "-F a.txt", "-b x", "--file=a.txt", "--boot"],
  }),
  command({
    names: ["id", "groups"],
    does: "Prints the ids and groups of users.",
    options: "-agGnruzZ --group --groups --name --real --user --zero --context",
    operands: values(USER, 0, 8),
    bsd: { options: "-AgGnpPru" },
    match: ["", "-un", "root"],
    notMatch: ["../x", "--grou"],
  }),
  command({
    names: ["who"],
    does: "Shows who is logged in.",
    options:
      "-abdHlmpqrstTuw --all --boot --dead --heading --ips --login --process --count --runlevel --short --time --mesg --users",
    operands: values("text", 0, 2),
    check: whoWords,
    match: ["", "-b", "am i"],
    notMatch: ["--lookup", "/var/log/wtmp", "am", "/var/log/wtmp i"],
  }),
  command({
    names: ["w"],
    does: "Shows who is logged in and what they do.",
    options: "-hsfiou --no-header --short --from --ip-addr --old-style --no-current",
    operands: values(USER, 0, 1),
    bsd: { options: "-hin" },
    match: ["", "-h"],
    notMatch: ["a b", "--shor"],
  }),
  command({
    names: ["last"],
    does: "Shows recent logins.",
    options:
      "-aFiRwx -n=count -stp=text --limit=count --since= --until= --present= --hostlast --fulltimes --ip --nohostname " +
      "--fullnames --system --time-format=word",
    operands: values(USER, 0, 4),
    parsing: { numeric: true },
    bsd: { options: "-n=count -t=" },
    match: ["-n 5", "-5 reboot"],
    notMatch: ["-f a.txt", "-d", "--dns", "--file=x"],
  }),
  command({
    names: ["locale"],
    does: "Shows locale settings.",
    // -m starts gzip.
    options: "-ackv --all-locales --category-name --keyword-name --verbose",
    operands: values("text", 0, 8),
    check: localeNames,
    match: ["", "-a", "charmap", "-k LC_TIME"],
    notMatch: ["../x", "--all", "-m", "--charmaps"],
  }),
  command({
    names: ["printenv"],
    does: "Prints variables of the environment tools get, which holds no keys.",
    options: "-0 --null",
    operands: values({ pattern: /^[A-Za-z_][A-Za-z0-9_]*$/, says: "a variable's name is" }, 0, 8),
    bsd: { options: "" },
    match: ["", "PATH"],
    notMatch: ["--nul", "A=b"],
  }),
  command({
    names: ["getconf"],
    does: "Shows system limits.",
    options: "-a",
    operands: {
      kinds: [{ pattern: /^[A-Za-z_][A-Za-z0-9_]*$/, says: "a variable's name is" }, "path"],
      min: 0,
      max: 2,
    },
    match: ["PAGE_SIZE", "-a", "NAME_MAX /tmp"],
    // -v starts another program.
    notMatch: ["-v POSIX_V7_LP64_OFF64 PAGE_SIZE", "NAME_MAX ~/.ssh"],
  }),
  command({
    names: ["getent"],
    does: "Looks up users, groups and services. It does not ask name servers for hosts.",
    options: "",
    operands: {
      kinds: [DATABASE, { pattern: /^[A-Za-z0-9_][A-Za-z0-9_.:+-]{0,63}$/, says: "a name or a number is" }],
      min: 1,
      max: 8,
    },
    match: ["passwd root", "services ssh", "group"],
    notMatch: ["hosts x.example", "ahosts x.example", "shadow", "-s dns hosts x", ""],
  }),
  command({
    names: ["sysctl"],
    does: "Shows kernel settings. It cannot change them.",
    options: "-anNe -r= --all --names --values --ignore --pattern=",
    operands: values(
      { pattern: /^[A-Za-z0-9_.:-]{1,80}$/, says: "the name of a setting, without =, is" },
      0,
      16,
    ),
    bsd: { options: "-anNeh" },
    match: ["-a", "kernel.ostype", "-n vm.swappiness kernel.osrelease", ["-ar", "tcp.*mem"]],
    notMatch: ["-w a=b", "vm.swappiness=1", "-p a.txt", "--load", "--system", "--write a=b"],
  }),
  command({
    names: ["which"],
    does: "Shows where commands are.",
    helpers: true,
    options: "-a",
    operands: values(NAME, 1, 32),
    match: ["ls", "-a python3 sh"],
    notMatch: ["/bin/ls", "", "--all ls"],
  }),
  command({
    names: ["man"],
    does: "Shows manual pages by name. It opens no file by path and starts no pager or browser.",
    helpers: true,
    options: "-kfwai --apropos --whatis --where --all --ignore-case",
    operands: values(PAGE, 1, 4),
    bsd: { options: "-kfwa" },
    match: ["ls", "-k copy", "5 passwd", "-w ls"],
    notMatch: [
      "-P evil ls",
      "--pag=evil ls",
      "-Hevil ls",
      "-C conf ls",
      "-l x.1",
      "./x.1",
      "-K x",
      "-M /tmp ls",
      "-PP ls",
      "",
    ],
  }),
  command({
    names: ["whatis", "apropos"],
    does: "Searches the names of manual pages.",
    helpers: true,
    options: "-arewl -s= --and --exact --regex --wildcard --long --sections=word",
    operands: values("text", 1, 16),
    values: { "-s": { pattern: /^[0-9a-z,:]{1,20}$/, says: "a list of sections is" } },
    bsd: { options: "" },
    match: ["ls"],
    notMatch: ["-C conf ls", "-M /tmp ls", ""],
  }),
];
