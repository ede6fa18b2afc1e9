// Rules of the commands that show bytes, checksums and encodings. Data only.
import { type CommandRule, command, paths } from "./rule.ts";

const SUM_OPTIONS = "-btz --binary --text --tag --zero";
const UP_TO_256 = { pattern: /^(?:0x)?[0-9a-fA-F]{1,3}$/, says: "a number up to 256 is" };

const checksum = (name: string): CommandRule =>
  command({
    names: [name],
    does: "Prints checksums of files. It does not check lists: a list could name any file.",
    options: name === "b2sum" ? `${SUM_OPTIONS} -l=small --length=small` : SUM_OPTIONS,
    operands: paths(0),
    match: ["a.txt", "--tag a.txt b.txt"],
    notMatch: ["-c list", "--check list", "~/.ssh/id_rsa", "--bin a.txt"],
  });

/** The rules of od, base64, sha256sum and their like. */
export const BYTE_RULES: readonly CommandRule[] = [
  ...["md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "b2sum"].map(checksum),
  command({
    names: ["cksum"],
    does: "Prints checksums of files.",
    options: "-z -al=word --algorithm=word --length=small --tag --untagged --zero --debug --raw --base64",
    operands: paths(0),
    bsd: { options: "-o=small" },
    match: ["a.txt", "-a sha256 a.txt"],
    notMatch: ["-c list", "--check a.txt", "-a sha256 --che list"],
  }),
  command({
    names: ["sum"],
    does: "Prints an old-style checksum of files.",
    options: "-rs --sysv",
    operands: paths(0),
    bsd: { options: "-o=small" },
    match: ["a.txt"],
    notMatch: ["--sys a.txt"],
  }),
  command({
    names: ["md5"],
    does: "Prints MD5 checksums (BSD and macOS).",
    options: "-qrn -s=",
    operands: paths(0),
    match: ["-q a.txt"],
    notMatch: ["-p a.txt", "-x"],
  }),
  command({
    names: ["shasum"],
    does: "Prints checksums of files. It does not check lists.",
    helpers: true,
    options: "-bt0 -a=word --algorithm=word --binary --text --tag",
    operands: paths(0),
    match: ["-a 256 a.txt"],
    notMatch: ["-c list", "--check list"],
  }),
  command({
    names: ["base64", "base32"],
    does: "Encodes or decodes one file to standard output.",
    options: "-di -w=count --decode --ignore-garbage --wrap=count",
    operands: paths(0, 1),
    // On macOS -i and -o name files, and -o writes.
    bsd: { options: "-dDh -b=count --decode --break=count" },
    match: ["a.txt", "-d a.txt", ""],
    notMatch: ["-o out a.txt", "a.txt b.txt", "--output=out a.txt", "~/.ssh/id_rsa"],
  }),
  command({
    names: ["od"],
    does: "Dumps bytes of files as numbers.",
    options:
      "-abcdfilosxv -ANt= -j=count -w?small --address-radix= --skip-bytes=count --read-bytes=count --format= " +
      "--output-duplicates --width?small --endian=word",
    operands: paths(0),
    bsd: { options: "-aBbcDdeFfHhIiLlOoxXsv -ANt= -j=count" },
    match: ["-c a.txt", "-A x -t x1z a.bin", "-An -tx1 -N 16 a.bin"],
    notMatch: ["-c ~/.ssh/id_rsa", "--traditional a.txt", "-w999999999 a.txt", "-N 10 /dev/urandom"],
  }),
  command({
    names: ["xxd"],
    does: "Dumps one file as hex, or turns hex back to standard output. A second operand would be written to.",
    options: "-abCdeEipru -cgl= -os= -n= -ps! -plain! -R=word",
    operands: paths(0, 1),
    // xxd looks at the first letter only and stops at the first operand: no clusters, options first.
    parsing: { clusters: false, permutes: false },
    values: {
      "-c": UP_TO_256,
      "-g": { pattern: /^\d{1,2}$/, says: "a number up to 99 is" },
      "-l": { pattern: /^(?:0x)?[0-9a-fA-F]{1,12}$/, says: "a number is" },
    },
    match: ["a.bin", "-p a.bin", "-l 16 -c16 a.bin", "-r -p a.hex", "-ps a.bin"],
    notMatch: ["a.bin out", "-r a.hex out", "a.bin -p", "-pc out a.bin", "-cols 16 a.bin", "/proc/self/mem"],
  }),
  command({
    names: ["hexdump", "hd"],
    does: "Dumps bytes of files as numbers.",
    options:
      "-bcCdovx -ns=count -e=format --one-byte-octal --one-byte-char --canonical --two-bytes-decimal " +
      "--two-bytes-octal --two-bytes-hex --length=count --skip=count --no-squeezing --format=format",
    operands: paths(0),
    values: { "-e": { pattern: /^(?:[^0-9]|(?<!\d)\d{1,4}(?!\d))*$/, says: "numbers up to 9999 are" } },
    bsd: { options: "-bcCdovx -ns=count" },
    match: ["-C a.bin", ["-e", '16/1 "%02x " "\\n"', "a.bin"]],
    notMatch: ["-f list a.bin", "-C /proc/self/mem", ["-e", '99999999/1 "%02x"', "a.bin"]],
  }),
  command({
    names: ["strings"],
    does: "Prints the readable text in files.",
    options:
      "-afowd -nte= -U=word -s= --all --data --print-file-name --bytes=count --radix=word --encoding=word " +
      "--include-all-whitespace --unicode=word --output-separator=",
    operands: paths(0),
    values: {
      "-n": { pattern: /^\d{1,6}$/, says: "a number is" },
      "-t": { pattern: /^[odx]$/, says: "o, d and x are" },
      "-e": { pattern: /^[sSblBL]$/, says: "s, S, b, l, B and L are" },
    },
    parsing: { numeric: true, responseFiles: true },
    bsd: { options: "-ao -nt=" },
    match: ["-n 8 a.bin", "-8 -t x a.bin"],
    notMatch: ["@list", "-n @list a.bin", "-T elf32 a.bin", "~/.ssh/id_rsa"],
  }),
  command({
    names: ["iconv"],
    does: "Converts files between character sets, to standard output.",
    options: "-cls -ft= --from-code= --to-code= --list --silent",
    operands: paths(0),
    values: Object.fromEntries(
      ["-f", "-t", "--from-code", "--to-code"].map((name) => [
        name,
        {
          pattern: /^[A-Za-z0-9_:+-][A-Za-z0-9_.:+-]{0,39}(?:\/\/(?:TRANSLIT|IGNORE)?)*$/,
          says: "the name of a character set is",
        },
      ]),
    ),
    match: ["-f latin1 -t utf-8 a.txt", "-t ASCII//TRANSLIT a.txt", "-l"],
    notMatch: ["-f latin1 -t utf-8 -o out a.txt", "--output=out a.txt", "-t ../../x a.txt"],
  }),
];
