// Rules of the commands that show the network's state. Data and checks only.
import { type Call, type CommandRule, command, NONE, type Problem, values } from "./rule.ts";

const INTERFACE = { pattern: /^[A-Za-z0-9][A-Za-z0-9_.:@-]{0,31}$/, says: "the name of an interface is" };
const NUMERIC = /^(?:\d{1,3}(?:\.\d{1,3}){0,3}|[0-9a-fA-F]*:[0-9a-fA-F:.]*)$/;
/** Only these are surely never looked up: dead.beef.de would be a name. */
const PORT_OR_ADDRESS =
  /^(?:\d{1,3}(?:\.\d{1,3}){0,3}|\[[0-9a-fA-F:.]*\]|\*)?(?:\/\d{1,3})?(?::(?:[A-Za-z0-9-]{1,20}|\*))?$/;
const SS_WORDS = new Set(
  (
    "state exclude all connected synchronized bucket big established syn-sent syn-recv fin-wait-1 fin-wait-2 time-wait " +
    "closed close-wait last-ack listening listen closing ( ) or and not | || & && ! sport dport src dst eq ne gt lt ge le = " +
    "== != > < >= <="
  ).split(" "),
);

/** A name in a filter would be looked up, and a looked-up name carries data out. */
function ssFilter({ operands }: Call): Problem | null {
  const words = operands.flatMap((operand) => operand.split(/[ \t]+/));
  const wrong = words.find((word) => !SS_WORDS.has(word) && !PORT_OR_ADDRESS.test(word));
  return wrong === undefined
    ? null
    : {
        rule: "network",
        reason: `${wrong} is not allowed in a filter; states, operators, ports and numeric addresses are`,
      };
}

const IP_OBJECT =
  /^(?:a|addr|address|l|link|r|ro|route|n|neigh|neighbor|neighbour|rule|maddr|maddress|netns|tunnel|tuntap|vrf|ntable|mroute)$/;
/** ip takes the first subcommand that starts with the letters given: after link, s would be set. */
const IP_SHOWS = /^(?:show|list|ls|lst|sh)$/;
const IP_S_IS_SHOW = /^(?:a|addr|address|r|ro|route|n|neigh|neighbor|neighbour)$/;

function ipShows({ operands }: Call): Problem | null {
  const [object = "", action, ...rest] = operands;
  const shows =
    action === undefined || IP_SHOWS.test(action) || (action === "s" && IP_S_IS_SHOW.test(object));
  const gets = /^(?:r|ro|route)$/.test(object) && action === "get" && NUMERIC.test(rest[0] ?? "");
  const wrong = rest.find(
    (word) => !/^[A-Za-z0-9][A-Za-z0-9_.:/@-]{0,63}$/.test(word) || word.includes(".."),
  );
  if (IP_OBJECT.test(object) && (shows || gets) && wrong === undefined) return null;
  return {
    rule: "subcommand",
    reason:
      "only addr, link, route, neigh, rule, maddr, netns, tunnel and vrf with show are allowed, and route get ADDRESS",
  };
}

/** The BSD route changes the table unless its first word is get. */
function routeGets({ operands, facts }: Call): Problem | null {
  if (facts.platform === "gnu" || operands.length === 0) return null;
  return operands[0] === "get" &&
    /^(?:default|[0-9a-fA-F.:]+)$/.test(operands[1] ?? "") &&
    operands.length === 2
    ? null
    : { rule: "subcommand", reason: "only -n get ADDRESS is allowed" };
}

/** The rules of ss, ip and their like. */
export const NETWORK_RULES: readonly CommandRule[] = [
  command({
    names: ["ss"],
    does: "Lists sockets, once. It cannot close them, write a dump or look names up.",
    kernelSockets: true,
    options:
      "-hHnalomepTisbMSZz460tudwxO -fA=word --numeric --all --listening --options --extended --memory --processes " +
      "--threads --info --summary --no-header --ipv4 --ipv6 --packet --tcp --udp --mptcp --sctp --dccp --raw --unix " +
      "--vsock --oneline --family=word --query=word --socket=word --tos --cgroup",
    operands: values("text", 0, 16),
    check: ssFilter,
    match: [
      "-tlnp",
      "-s",
      "state established",
      ["-t", "(", "sport", "=", ":22", ")"],
      ["-o", "state", "established", "( dport = :443 or sport = :ssh )"],
      "dst 10.0.0.0/8",
    ],
    notMatch: [
      "-D out",
      "--diag=out",
      "-K dst 1.2.3.4",
      "-F file",
      "-E",
      "-r",
      "-N ns",
      "dst c2Vj.example.com",
      "dst dead.beef.de",
      "dst dead:beef",
      "--kil",
    ],
  }),
  command({
    names: ["netstat"],
    does: "Lists sockets, routes and interfaces, once. It looks no names up.",
    kernelSockets: true,
    options:
      "-aegilMnNoprstuvwxW46 --all --extend --groups --interfaces --listening --numeric --numeric-hosts --numeric-ports " +
      "--numeric-users --program --programs --route --statistics --tcp --timers --udp --verbose --wide",
    operands: NONE,
    forced: ["-n"],
    bsd: { options: "-aAbdgilLmnrsStvWx -fIp=word" },
    match: ["-tlnp", "-r", "-i"],
    notMatch: ["-c", "--continuous", "-tc", "1"],
  }),
  command({
    names: ["ip"],
    does: "Shows addresses, links, routes and neighbours. It cannot change them.",
    kernelSockets: true,
    options:
      "-4 -6 -o -s -d -j -p -h -br -brief -json -pretty -oneline -stats -statistics -details -human -human-readable " +
      "-N -Numeric -t -timestamp -iec --brief --json --pretty --oneline --stats --statistics --details --numeric " +
      "-c,-color,--color?word -V -Version -f,-family,--family=word",
    operands: values("text", 1, 8),
    parsing: { words: true, permutes: false },
    check: ipShows,
    match: [
      "addr",
      "-br a",
      "a s lo",
      "-c a",
      "-color=never -f inet addr sh",
      "-4 route show",
      "neighbour",
      "netns list",
      "route get 1.1.1.1",
      "-s link show dev eth0",
    ],
    notMatch: [
      "link set eth0 down",
      "l s eth0 down",
      "netns exec x id",
      "netns list x ../y",
      "vrf exec x id",
      "xfrm state",
      "-batch file",
      "-b file",
      "addr add 1.2.3.4 dev lo",
      "route del default",
      "-n x addr",
      "monitor",
      "-force addr",
      "",
    ],
  }),
  command({
    names: ["ifconfig"],
    does: "Shows interfaces. It cannot change them.",
    kernelSockets: true,
    options: "-asv",
    operands: values(INTERFACE, 0, 1),
    bsd: { options: "-almuv" },
    match: ["", "-a", "eth0"],
    notMatch: ["eth0 down", "eth0 up", "eth0 1.2.3.4", "-x"],
  }),
  command({
    names: ["route"],
    does: "Shows routes. It cannot change them.",
    kernelSockets: true,
    options: "-nNve46 --numeric --extend --verbose",
    operands: NONE,
    forced: ["-n"],
    bsd: { options: "-nv", operands: values("text", 0, 2), check: routeGets },
    match: ["", "-n"],
    notMatch: ["add default gw 1.2.3.4", "del default", "flush", "-C"],
  }),
  command({
    names: ["arp"],
    does: "Shows known neighbours. It cannot change them and looks no names up.",
    kernelSockets: true,
    options: "-anev -i=word --numeric --verbose --device=word",
    operands: NONE,
    forced: ["-n"],
    values: { "-i": INTERFACE, "--device": INTERFACE },
    bsd: { options: "-anlx -i=word" },
    match: ["", "-a", "-n -i eth0"],
    notMatch: ["-d x", "-s x 00:00:00:00:00:00", "-f file", "-a x.example"],
  }),
];
