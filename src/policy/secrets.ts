// Which places hold credentials: names only, shared by the path rule and by the jail.

const lines = (text: string): readonly string[] =>
  text
    .split("\n")
    .flatMap((line) => line.split(/ {2,}/))
    .map((item) => item.trim())
    .filter((item) => item !== "");

/** Folders and files below a home that no tool may read: what tools, browsers and mail programs keep to themselves. */
export const CREDENTIAL_PLACES: readonly string[] = lines(`
  .ssh  .gnupg  .aws  .azure  .kube  .docker  .config/gcloud  .config/gh  .config/git  .config/op
  .config/sops  .config/rclone  .config/anthropic  .config/google-chrome  .config/chromium
  .config/BraveSoftware  .config/microsoft-edge  .config/vivaldi  .mozilla  .thunderbird  .password-store
  .local/share/keyrings  .local/share/kwalletd  .terraform.d  .cargo/credentials  .cargo/credentials.toml
  .claude.json  Library/Keychains  Library/Cookies  Library/Application Support/Google/Chrome
  Library/Application Support/Firefox  .oci  .bluemix  .fly  .railway  .vercel  .op  .electrum  .bitcoin
  .ethereum  .near-credentials  .anthropic  .claude/.credentials.json  .codex/auth.json  .gemini  .kaggle
  .huggingface  .cache/huggingface/token  .librewolf  .waterfox  .pki  .vnc  .subversion/auth
  .gem/credentials  .m2/settings.xml  .m2/settings-security.xml  .gradle/gradle.properties
  .composer/auth.json  .Xauthority  .ICEauthority  .purple  .config/glab-cli  .config/hub
  .config/git/credentials  .config/age  .config/doctl  .config/netlify  .config/configstore
  .config/composer/auth.json  .config/github-copilot  .config/stripe  .config/solana
  .heroku  .config/heroku  .config/pip/pip.conf  .pip/pip.conf  .ansible/vault_pass
  .config/google-chrome-beta  .config/opera  .config/Bitwarden  .config/1Password  .config/Signal
  .config/Slack  .config/discord  .config/openai  .config/containers/auth.json  .local/share/password-store
  .local/share/TelegramDesktop  snap/firefox  snap/chromium  .var/app/org.mozilla.firefox
  .var/app/com.google.Chrome  Library/Safari  Library/Mail  Library/Messages  Library/Accounts
  Library/Application Support/BraveSoftware  Library/Application Support/Microsoft Edge
  Library/Application Support/com.apple.TCC  Library/Application Support/Signal
`);

/** System files and folders that hold secrets. */
export const SYSTEM_SECRETS: readonly string[] = lines(`
  /etc/shadow  /etc/shadow-  /etc/gshadow  /etc/gshadow-  /etc/sudoers  /etc/sudoers.d  /etc/ssl/private
  /etc/wireguard  /etc/openvpn  /etc/NetworkManager/system-connections  /etc/krb5.keytab
  /etc/security/opasswd  /var/lib/NetworkManager  /var/lib/private  /etc/master.passwd  /etc/pki/tls/private
  /etc/letsencrypt  /etc/ipsec.secrets  /etc/ipsec.d/private  /etc/kubernetes  /etc/rancher
  /etc/docker/key.json  /etc/ppp/chap-secrets  /etc/ppp/pap-secrets  /var/lib/sss  /var/lib/kubelet
  /etc/mysql/debian.cnf  /etc/exim4/passwd.client
  /etc/samba/smbpasswd  /var/lib/samba/private  /var/lib/rancher  /run/secrets  /var/db/dslocal  /var/db/shadow  /Library/Keychains
`);

const SECRET_NAME = new RegExp(
  `^(?:${[
    "\\.env|\\.env\\..+|.+\\.env|\\.envrc",
    "[._]netrc|\\.npmrc|\\.pypirc|\\.git-credentials|\\.pgpass|\\.my\\.cnf|\\.mylogin\\.cnf|\\.vault-token|\\.htpasswd",
    "\\.vault_pass.*|\\.terraformrc|sasl_passwd|\\.s3cfg|\\.boto|\\.dockercfg|\\.authinfo(?:\\.gpg)?|\\.msmtprc|\\.databrickscfg|\\.rhosts",
    "id_(?:rsa|dsa|ecdsa|ed25519|xmss)(?:_sk)?(?:[._-].*)?|ssh_host_.*_key",
    ".*\\.(?:pem|key|ppk|p8|p12|pfx|pkcs12|kdb|kdbx|keystore|jks|keytab|ovpn|agekey)",
    "\\..+_history|(?:bash|zsh|fish|sh)_history|\\.zhistory|\\.lesshst|\\.viminfo",
    "(?:.*[-_.])?credentials(?:\\.(?:json|ya?ml|toml|ini|xml|db|csv|txt|env))?",
    "service[-_]account.*\\.json|.*firebase-adminsdk.*\\.json|accesskeys\\.csv|rootkey\\.csv|wallet\\.dat|kubeconfig",
    ".*\\.tfstate(?:\\.backup)?|\\.yarnrc\\.yml|g?shadow-?|sudoers|client_secret.*\\.json|secrets?\\.(?:json|ya?ml|toml)|g?shadow\\.bak|\\.secrets?",
  ].join("|")})$`,
  "i",
);
const HARMLESS_NAME = /^(?:.*\.(?:example|sample|template|dist)|.*\.pub)$/i;
/** Certificates that every machine has for everybody to read. */
const PUBLIC_KEYS = /^\/(?:etc\/ssl\/certs|etc\/pki\/ca-trust|usr\/(?:local\/)?(?:share|lib))\/.*\.pem$/;

/** True for the name of a file that usually holds a credential. */
export function isCredentialName(name: string): boolean {
  return SECRET_NAME.test(name) && !HARMLESS_NAME.test(name);
}

/** True for a certificate that every machine has for everybody to read. */
export const isPublicKey = (path: string): boolean => PUBLIC_KEYS.test(path);
