// Which places hold credentials: names only, shared by the path rule and by the jail.

/** Folders and files below a home that no tool may read. */
export const CREDENTIAL_PLACES: readonly string[] = [
  ".ssh",
  ".gnupg",
  ".aws",
  ".azure",
  ".kube",
  ".docker",
  ".config/gcloud",
  ".config/gh",
  ".config/git",
  ".config/op",
  ".config/sops",
  ".config/rclone",
  ".config/anthropic",
  ".config/google-chrome",
  ".config/chromium",
  ".config/BraveSoftware",
  ".config/microsoft-edge",
  ".config/vivaldi",
  ".mozilla",
  ".thunderbird",
  ".password-store",
  ".local/share/keyrings",
  ".local/share/kwalletd",
  ".terraform.d",
  ".cargo/credentials",
  ".cargo/credentials.toml",
  ".claude.json",
  "Library/Keychains",
  "Library/Cookies",
  "Library/Application Support/Google/Chrome",
  "Library/Application Support/Firefox",
];

/** System files and folders that hold secrets. */
export const SYSTEM_SECRETS: readonly string[] = [
  "/etc/shadow",
  "/etc/shadow-",
  "/etc/gshadow",
  "/etc/gshadow-",
  "/etc/sudoers",
  "/etc/sudoers.d",
  "/etc/ssl/private",
  "/etc/wireguard",
  "/etc/openvpn",
  "/etc/NetworkManager/system-connections",
  "/etc/krb5.keytab",
  "/etc/security/opasswd",
  "/var/lib/NetworkManager",
  "/var/lib/private",
];

const CREDENTIAL_NAME =
  /^(?:\.env(?:\..+)?|\.envrc|[._]netrc|\.npmrc|\.yarnrc\.yml|\.pypirc|\.git-credentials|\.pgpass|\.my\.cnf|\.vault-token|\.htpasswd|\.dockercfg|\.s3cfg|\.boto|id_(?:rsa|dsa|ecdsa|ed25519)(?:[_-].*)?|ssh_host_.*_key|.*\.(?:pem|p12|pfx|key|kdbx|keystore|jks|ovpn|ppk)|\.?[a-z]+_history|credentials(?:\.json|\.db|\.toml)?|(?:g?shadow|sudoers)-?)$/i;
const PUBLIC_NAME = /^(?:\.env\.(?:example|sample|template|dist)|.*\.pub)$/i;

/** True for the name of a file that usually holds a credential. */
export function isCredentialName(name: string): boolean {
  return CREDENTIAL_NAME.test(name) && !PUBLIC_NAME.test(name);
}
