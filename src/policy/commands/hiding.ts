// The flags that make programs which read whole folders leave out files of credentials: the path rule judges what is
// named on the command line, these flags what is found on the way. Flags only.

const words = (text: string): readonly string[] => text.split(/\s+/).filter((word) => word !== "");

const CREDENTIALS = ["credentials", "*[-_.]credentials"].flatMap((name) => [
  name,
  ...words("json yml yaml toml ini xml db csv txt env").map((ending) => `${name}.${ending}`),
]);

const KEYS = words("rsa dsa ecdsa ed25519 xmss").flatMap((kind) => [
  `id_${kind}`,
  `id_${kind}_sk`,
  `id_${kind}[._-][!p]*`,
  `id_${kind}[._-]p[!u]*`,
]);

/**
 * Names of credential files as globs, the names secrets.ts knows; `.env.example`, `.env.sample`, `.env.template`,
 * `.env.dist` and `id_rsa.pub` stay visible.
 */
const FILES: readonly string[] = [
  ...words(`
    .env .env.[!dest]* .env.d[!i]* .env.e[!x]* .env.s[!a]* .env.t[!e]* *.env .envrc
    [._]netrc .npmrc .pypirc .git-credentials .pgpass .my.cnf .mylogin.cnf .vault-token .vault_pass* .htpasswd
    .s3cfg .boto .dockercfg .authinfo .authinfo.gpg .msmtprc .databrickscfg .rhosts .terraformrc .yarnrc.yml
    ssh_host_*_key *.pem *.key *.ppk *.p8 *.p12 *.pfx *.pkcs12 *.kdb *.kdbx *.keystore *.jks *.keytab *.ovpn *.agekey
    .*_history bash_history zsh_history fish_history .zhistory .lesshst .viminfo
    shadow shadow- gshadow gshadow- shadow.bak gshadow.bak sudoers sasl_passwd .secret .secrets
    secret.json secret.yml secret.yaml secret.toml secrets.json secrets.yml secrets.yaml secrets.toml
    client_secret*.json service[-_]account*.json *firebase-adminsdk*.json accesskeys.csv rootkey.csv
    wallet.dat kubeconfig *.tfstate *.tfstate.backup
  `),
  ...CREDENTIALS,
  ...KEYS,
];
/** The usual ones only: diff prints all its flags again above every pair of files, and people read what git is given. */
const USUAL: readonly string[] = words(`
  .env .env.[!dest]* .env.d[!i]* .env.e[!x]* .env.s[!a]* .env.t[!e]* *.env .envrc .netrc .npmrc .pypirc .pgpass
  .git-credentials id_[rde]*[!b] *.pem *.key *.p12 *.pfx *.kdbx .*_history credentials credentials.json secrets.[jyt]*
`);
const FOLDERS = words(".ssh .gnupg .aws .azure .kube .password-store");

/** The glob for a program that tells upper case from lower case. */
function anyCase(glob: string): string {
  let inside = false;
  return [...glob]
    .map((sign) => {
      if (sign === "[" || sign === "]") inside = sign === "[";
      const upper = sign.toUpperCase();
      if (upper === sign) return sign;
      return inside ? sign + upper : `[${sign}${upper}]`;
    })
    .join("");
}

/** Pathspecs that make git leave the usual credential files out. */
export function hidingPathspecs(): readonly string[] {
  return USUAL.map((pattern) => `:(exclude,icase,glob)**/${pattern}`);
}

/** The flags that hide credential files from a program of the given family. */
export function hidingFlags(family: "grep" | "glob" | "diff"): readonly string[] {
  switch (family) {
    case "grep":
      return [
        ...FILES.map((name) => `--exclude=${anyCase(name)}`),
        ...FOLDERS.map((name) => `--exclude-dir=${name}`),
      ];
    case "glob":
      // Links to follow would leave the folders that were judged.
      return ["--no-follow", ...[...FILES, ...FOLDERS].map((name) => `--iglob=!${name}`)];
    case "diff":
      // Links are compared as links: following them would leave the folders that were judged.
      return ["--no-dereference", ...[...USUAL, ...FOLDERS].map((name) => `-x${name}`)];
  }
}
