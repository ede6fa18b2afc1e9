// Rules of the commands that show hardware, memory, disks and the kernel's messages. Data and checks only.
import { judgePath } from "../paths.ts";
import {
  type Call,
  type CommandRule,
  command,
  NONE,
  operandProblem,
  type Problem,
  paths,
  values,
} from "./rule.ts";

const LONGEST_WATCH_S = 10;
const DISK = {
  pattern: /^\/dev\/(?!.*\.\.)[A-Za-z0-9_+.:/-]{1,200}$/,
  says: "the path of a disk below /dev is",
};
const COLUMNS = { pattern: /^[A-Za-z0-9_.,:+%/=-]{1,300}$/, says: "a list of columns is" };

/** An interval alone would never end. Other operands are names of devices. */
function boundedWatch({ operands }: Call): Problem | null {
  const numbers = operands.filter((operand) => /^[\d.]+$/.test(operand));
  const wrong = operands.find((operand) => !/^[A-Za-z0-9_.,-]{1,40}$/.test(operand));
  if (wrong !== undefined) return operandProblem(`${wrong} is not the name of a device, nor a number`);
  if (numbers.length === 0) return null;
  const [interval, count] = numbers.map(Number);
  const seconds = (interval ?? 0) * (count ?? Number.POSITIVE_INFINITY);
  const atTheEnd = numbers.length === 2 && operands.slice(-2).every((operand) => numbers.includes(operand));
  return atTheEnd && (interval ?? 0) >= 1 && seconds <= LONGEST_WATCH_S
    ? null
    : operandProblem(`an interval needs a count, last: INTERVAL COUNT, at most ${LONGEST_WATCH_S} s in all`);
}

const JOURNAL_FIELD = /^_{0,2}[A-Z][A-Z0-9_]{0,62}=/;
/** What -b and -n take from the next argument: a boot by its number or id, a count. */
const JOURNAL_NUMBER = /^(?:[-+]?\d{1,9}|all|[0-9a-f]{32}(?:[-+]\d{1,4})?)$/;

/** Matches of fields, + between them, and programs by their path. */
function journalMatches({ operands, facts }: Call): Problem | null {
  for (const operand of operands) {
    if (operand === "+" || JOURNAL_FIELD.test(operand) || JOURNAL_NUMBER.test(operand)) continue;
    if (!operand.startsWith("/"))
      return operandProblem(`${operand} is not a match such as _PID=1, nor the path of a program`);
    const reason = judgePath(operand, facts);
    if (reason !== null) return { rule: "path", reason };
  }
  return null;
}

/** The rules of free, lsblk, dmesg and their like. */
export const HARDWARE_RULES: readonly CommandRule[] = [
  command({
    names: ["free"],
    does: "Shows memory use, once.",
    options:
      "-bkmghltwv --bytes --kilo --mega --giga --tera --peta --kibi --mebi --gibi --tebi --pebi --human --si --lohi " +
      "--total --committed --wide",
    operands: NONE,
    match: ["-h", "-m -t"],
    notMatch: ["-s 1", "--seconds=1", "-c 5"],
  }),
  command({
    names: ["vmstat"],
    does: "Shows memory, paging and processor activity for at most 10 s.",
    options:
      "-afnsdDtwym -S=word --active --forks --one-header --stats --disk --disk-sum --wide --timestamp --no-first --slabs " +
      "--unit=word",
    operands: values("count", 0, 2),
    check: boundedWatch,
    match: ["", "-s", "1 3"],
    notMatch: ["1", "1 999999", "0 5", "-p sda1"],
  }),
  command({
    names: ["iostat"],
    does: "Shows input and output of disks for at most 10 s.",
    options: "-cdhkmNstxyz --compact --human --pretty --dec=word -o=word",
    operands: values("word", 0, 10),
    check: boundedWatch,
    match: ["-x", "-d sda 1 2"],
    notMatch: ["1", "-f dir", "+f dir", "-p sda 1"],
  }),
  command({
    names: ["mpstat"],
    does: "Shows processor activity for at most 10 s.",
    options: "-AnTu -PIN=word --dec=word -o=word",
    operands: values("word", 0, 2),
    check: boundedWatch,
    match: ["-P ALL", "1 2"],
    notMatch: ["1", "2 100"],
  }),
  command({
    names: ["lscpu"],
    does: "Describes the processor.",
    options:
      "-abBcCJrxy -ep?word --all --online --bytes --offline --caches?word --json --extended?word --parse?word --hex " +
      "--physical --output-all",
    operands: NONE,
    match: ["", "-J", "-e=CPU,CORE"],
    notMatch: ["-s /tmp", "--sysroot=/tmp", "x"],
  }),
  command({
    names: ["lsblk"],
    does: "Lists disks and partitions.",
    options:
      "-ADJMOPSabdfilmnprstyz -T?word -EIeox= -w=small --noempty --discard --dedup= --include= --json --merge " +
      "--output-all --pairs --scsi --tree?word --all --bytes --nodeps --exclude= --fs --ascii --list --perms " +
      "--noheadings --output= --paths --raw --inverse --topology --width=small --sort= --shell --zoned",
    // It looks at the numbers of a device, never at what is on it.
    operands: values(DISK, 0, 16),
    values: { "-o": COLUMNS, "--output": COLUMNS },
    match: ["", "-f", "-o NAME,SIZE,TYPE -J", "-f /dev/sda1", "-no UUID /dev/disk/by-label/x"],
    notMatch: ["--sysroot=/tmp", "a.img", "/dev/../etc/passwd", "--out NAME"],
  }),
  command({
    names: ["lsusb"],
    does: "Lists USB devices.",
    options: "-vt -sd=word --verbose --tree",
    operands: NONE,
    match: ["", "-t"],
    notMatch: ["-D /dev/bus/usb/001/001", "x"],
  }),
  command({
    names: ["lspci"],
    does: "Lists PCI devices. It asks no name server.",
    options: "-mtvknDPb -sd=word",
    operands: NONE,
    match: ["", "-nnk", "-s 00:02.0"],
    notMatch: ["-q", "-Q", "-i file", "-F file", "-p file", "-A x", "-O a=b", "-xxx", "-H 1", "-M"],
  }),
  command({
    names: ["dmesg"],
    does: "Shows the kernel's messages. It cannot clear them or wait for more.",
    options:
      "-HJkPprStTuxde -L?word -fl=word --json --kernel --nopager --force-prefix --raw --noescape --color?word --facility=word " +
      "--level=word --human --userspace --decode --show-delta --reltime --ctime --notime --time-format=word --since= --until=",
    operands: NONE,
    // -H would start a pager on a terminal.
    forced: ["--nopager"],
    bsd: { options: "-a", forced: [] },
    match: ["-T", "--level=err,warn", "-H"],
    notMatch: ["-C", "-c", "--clear", "-w", "-W", "-F file", "-n 1", "-D", "-E", "--read-clear"],
  }),
  command({
    names: ["journalctl"],
    does: "Shows the system's log. It cannot shorten it, rotate it or wait for more.",
    options:
      "-kerqaxlmN -b?word -npgFo= -utSU= --dmesg --reverse --quiet --all --catalog --boot?word --lines=count --priority=word " +
      "--grep= --output=word --unit= --user-unit= --identifier= --since= --until= --no-pager --no-hostname --no-full " +
      "--list-boots --disk-usage --utc --system --user --output-fields=word --field=word --fields --full --merge --facility=word --no-tail " +
      "--header --truncate-newline --case-sensitive?word --show-cursor",
    operands: values("text", 0, 32),
    forced: ["--no-pager"],
    // -n and -b take the next argument only when it looks like their value.
    parsing: { dashValues: ["-S", "-U", "--since", "--until"], numeric: true },
    check: journalMatches,
    match: [
      "-b -1 -n 5",
      "-b 0 -p err",
      "-u ssh -n 20",
      ["--since", "1 hour ago", "-p", "err"],
      "--since -1h -mN",
      "_SYSTEMD_UNIT=ssh.service + _PID=1",
      "/usr/sbin/sshd",
    ],
    notMatch: [
      "-f",
      "-n -f",
      "--vacuum-size=1M",
      "--rotate",
      "--flush",
      "--sync",
      "-D /tmp",
      "--file=x",
      "--cursor-file=x",
      "--root=/tmp",
      "-u -f",
      "--since=x -f",
      "/dev/sda",
      "ssh",
    ],
  }),
  command({
    names: ["mount"],
    does: "Lists what is mounted. It cannot mount anything.",
    options: "-lv -t=word --show-labels --types=word --verbose",
    operands: NONE,
    bsd: { options: "-v -t=word" },
    match: ["", "-t ext4"],
    notMatch: ["-a", "/dev/sda1 /mnt", "-o remount /", "--bind a b", "--all"],
  }),
  command({
    names: ["findmnt"],
    does: "Lists what is mounted, as a tree.",
    options:
      "-AabCcDefiJklmnPRrsUuvxy -dOoSt= -TM=path --all --ascii --bytes --df --first-only --json --list --noheadings " +
      "--options= --output= --output-all --pairs --pseudo --raw --real --source= --target=path --tree --types= --uniq " +
      "--notruncate --fstab --kernel --mountpoint=path --submounts --nofsroot --direction=word",
    operands: paths(0, 1),
    match: ["", "-T .", "-t ext4 -o TARGET,SIZE"],
    notMatch: ["-p", "--poll", "-F file", "--tab-file file", "-N 1"],
  }),
  command({
    names: ["lsns"],
    does: "Lists namespaces.",
    options:
      "-JlnruW -o= -p=count -t=word --json --list --noheadings --output= --output-all --raw --notruncate",
    operands: NONE,
    match: ["", "-t net"],
    notMatch: ["x", "--out NS"],
  }),
];
