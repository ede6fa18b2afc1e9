// The flags that make programs which read whole folders leave out files of credentials: the path rule judges what is
// named on the command line, these flags what is found on the way. Flags only.

/** Names of credential files as globs; `.env.example`, `.env.sample`, `.env.template` and `.env.dist` stay visible. */
const FILES = [
  ".env",
  ".env.[!dest]*",
  ".env.d[!i]*",
  ".env.e[!x]*",
  ".env.s[!a]*",
  ".env.t[!e]*",
  ".envrc",
  ".netrc",
  ".npmrc",
  ".pypirc",
  ".pgpass",
  ".git-credentials",
  "id_rsa",
  "id_dsa",
  "id_ecdsa",
  "id_ed25519",
  "*.pem",
  "*.key",
  "*.p12",
  "*.pfx",
  "*.kdbx",
  ".*_history",
  "credentials",
  "credentials.json",
];
const FOLDERS = [".ssh", ".gnupg", ".aws", ".azure", ".kube", ".password-store"];

/** The flags that hide credential files from a program of the given family. */
export function hidingFlags(family: "grep" | "glob" | "diff"): readonly string[] {
  switch (family) {
    case "grep":
      return [...FILES.map((name) => `--exclude=${name}`), ...FOLDERS.map((name) => `--exclude-dir=${name}`)];
    case "glob":
      return [...FILES, ...FOLDERS].map((name) => `--iglob=!${name}`);
    case "diff":
      // Links are compared as links: following them would leave the folders that were judged.
      return ["--no-dereference", ...[...FILES, ...FOLDERS].map((name) => `--exclude=${name}`)];
  }
}
