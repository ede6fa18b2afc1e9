// Rules of the commands that talk to other machines: they need a yes, or a line that says network. Data and checks only.
import {
  type Call,
  type CommandRule,
  command,
  operandProblem,
  optionProblem,
  type Problem,
  values,
} from "./rule.ts";

const HOST = { pattern: /^[A-Za-z0-9:][A-Za-z0-9._:%-]{0,252}$/, says: "a host name or an address is" };

function fewPings({ options }: Call): Problem | null {
  const counts = options.filter(({ name }) => name === "-c");
  const few = counts.length > 0 && counts.every(({ value }) => /^(?:[1-9]|10)$/.test(value ?? ""));
  return few ? null : optionProblem("-c with 1 to 10 is needed");
}

const DIG_FLAG =
  /^\+(?:no)?(?:short|all|answer|trace|cmd|comments|multiline|stats|tcp|dnssec|question|recurse|ttlid|additional|authority|identify|edns|(?:time|tries)=\d)$/;

function digWords({ operands }: Call): Problem | null {
  const wrong = operands.find(
    (word) =>
      !(word.startsWith("+") ? DIG_FLAG.test(word) : /^@?[A-Za-z0-9_][A-Za-z0-9._:%-]{0,252}$/.test(word)),
  );
  return wrong === undefined
    ? null
    : operandProblem(`${wrong} is not a name, a record type, @SERVER or an accepted +flag`);
}

/** The rules of ping, dig and their like. */
export const REMOTE_RULES: readonly CommandRule[] = [
  command({
    names: ["ping", "ping6"],
    does: "Asks one host for an echo, 1 to 10 times.",
    level: "ask",
    network: true,
    options: "-46nqDO -c= -is=word -Wwt=small",
    operands: values(HOST, 1, 1),
    values: {
      "-i": { pattern: /^(?:[01](?:\.\d)?|2)$/, says: "an interval up to 2 s is" },
      "-s": { pattern: /^\d{1,4}$/, says: "a size up to 9999 is" },
      "-W": { pattern: /^\d{1,2}$/, says: "a time up to 99 s is" },
      "-w": { pattern: /^\d{1,2}$/, says: "a time up to 99 s is" },
    },
    check: fewPings,
    bsd: { options: "-noq -c= -is=word -Wt=small" },
    match: ["-c 3 localhost", "-c1 -W 2 127.0.0.1"],
    notMatch: [
      "localhost",
      "-c 100 localhost",
      "-c 1 -f localhost",
      "-c 1 -c 99 localhost",
      "-c 1 a b",
      "-c 1 -p ff x",
    ],
  }),
  command({
    names: ["dig"],
    does: "Asks name servers about names.",
    level: "ask",
    network: true,
    options: "-46 -xtcpq=word",
    operands: values("text", 0, 12),
    check: digWords,
    match: ["+short example.com MX", "@127.0.0.1 example.com", "-x 127.0.0.1"],
    notMatch: ["-f file", "-k key x", "-y a:b x", "+bad x", "-b 1.2.3.4 x"],
  }),
  command({
    names: ["host"],
    does: "Asks name servers about a name.",
    level: "ask",
    network: true,
    options: "-aCdrsTUv46 -tcNRW=word",
    operands: values(HOST, 1, 2),
    match: ["example.com", "-t mx example.com"],
    notMatch: ["-l example.com", "-w x", "", "-m trace x"],
  }),
  command({
    names: ["nslookup"],
    does: "Asks name servers about a name.",
    level: "ask",
    network: true,
    options: "-type=word -query=word -timeout=word -port=word",
    operands: values(HOST, 1, 2),
    parsing: { words: true },
    match: ["example.com", "-type=mx example.com 127.0.0.1"],
    notMatch: ["", "-debug x", "a b c"],
  }),
];
