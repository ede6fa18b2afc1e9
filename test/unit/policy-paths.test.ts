// The path rule on a machine that exists only here.
import { describe, expect, test } from "bun:test";
import { judgePath, judgeRecursion } from "../../src/policy/paths.ts";
import { fakeFacts } from "../support/policyfacts.ts";

const facts = fakeFacts({
  "/home/u/project/a.txt": "file",
  "/home/u/project/sub/b.txt": "file",
  "/home/u/project/pipe": "other",
  "/home/u/project/to-key": { link: "../.ssh/id_rsa" },
  "/home/u/project/to-folder": { link: "/home/u/.ssh/keys" },
  "/home/u/project/to-home": { link: "/home/u" },
  "/home/u/project/to-proc": { link: "/proc/self" },
  "/home/u/project/credentials": "directory",
  "/home/u/project/.env": "directory",
  "/home/u/.ssh/id_rsa": "file",
  "/home/u/.ssh/keys/x": "file",
  "/home/u/.ssh/config": "file",
  "/home/u/.ash/tools/x.py": "file",
  "/proc/self/environ": "file",
  "/proc/mounts": { link: "/proc/77/mounts" },
  "/proc/77/mounts": "file",
  "/sys/class/net/eth0": { link: "/sys/devices/pci/net/eth0" },
  "/sys/devices/pci/net/eth0/mtu": "file",
  "/etc/resolv.conf": { link: "/run/systemd/resolve/stub-resolv.conf" },
  "/run/systemd/resolve/stub-resolv.conf": "file",
  "/dev/null": "other",
});

describe("readable", () => {
  test.each([
    "a.txt",
    "sub/../a.txt",
    "-",
    "",
    "missing.txt",
    "~",
    "/home/u",
    "/home/u/",
    "..",
    "/",
    "/etc/passwd",
    "/etc/resolv.conf",
    "/proc/cpuinfo",
    "/proc/mounts",
    "/proc/net/dev",
    "/proc/mdstat",
    "/proc/1/status",
    "/proc/self/limits",
    "/proc/sys/net/ipv4/ip_forward",
    "/proc/sys/vm/swappiness",
    "/sys/class/dmi/id/product_name",
    "/sys/kernel/mm/transparent_hugepage/enabled",
    "/sys/class/net/eth0/mtu",
    "/dev/null",
    ".env.example",
    ".env.sample",
    "deploy.env.template",
    "id_rsa.pub",
    "/home/u/.ash/tools",
    "/home/u/.ash/tools/x.py",
    "credentials",
    ".env",
    ".env/bin",
    "keyboard.txt",
    "environment.ts",
    "id_mapping.csv",
    "history.txt",
    "/etc/ssl/certs/ca.pem",
    "/home/u/.config/app/settings.json",
  ])("%s", (path) => {
    expect(judgePath(path, facts)).toBeNull();
  });
});

describe("secret", () => {
  test.each([
    "/home/u/.ssh",
    "/home/u/.ssh/",
    "/home/u/.ssh/id_rsa",
    "/home/u/.ssh/config",
    "~/.ssh/id_rsa",
    "../.ssh/config",
    "/home/u/project/../.ssh/config",
    "//home//u/./.ssh/config",
    "/home/v/.aws/credentials",
    "/root/.gnupg/x",
    "/backup/anybody/.ssh/config",
    "to-key",
    "to-folder/x",
    "to-folder/../config",
    "to-home/.ssh/config",
    "to-proc/environ",
    "/home/u/.ash",
    "/home/u/.ash/config.toml",
    "/home/u/.ash/tools/../config.toml",
    "/home/u/.config/gcloud/credentials.db",
    "/home/u/.mozilla/firefox/x/cookies.sqlite",
    "/home/u/Library/Keychains/login.keychain",
    "prod.env",
    ".env.local",
    "sub/.env.production",
    ".ENV",
    "missing/.npmrc",
    "server.key",
    "cert.pem",
    "id_ed25519",
    "gcp-credentials.json",
    "service-account-prod.json",
    "deploy/secret.yaml",
    "infra/terraform.tfstate",
    "kubeconfig",
    "/etc/postfix/sasl_passwd",
    "/etc/mysql/debian.cnf",
    "/home/v/.terraformrc",
    "/home/v/.config/heroku/x",
    ".bash_history",
    "/etc/shadow",
    "/etc/sudoers.d/x",
    "/etc/ssh/ssh_host_rsa_key",
    "/private/etc/master.passwd",
    "/proc",
    "/proc/self/environ",
    "/proc/1/mem",
    "/proc/1/cmdline",
    "/proc/self/maps",
    "/proc/1/task/1/environ",
    "/proc/1/root/etc/hosts",
    "/proc/sys/../self/environ",
    "/proc/kcore",
    "/proc/kallsyms",
    "/proc/net/../self/environ",
    "/sys/kernel/debug",
    "/dev/zero",
    "/dev/stdin",
    "/dev/fd/3",
    "/run/user/1000/bus",
    "pipe",
  ])("%s", (path) => {
    expect(judgePath(path, facts)).toStartWith(`${path}: `);
  });

  test("a folder called ~ does not hide the home folder", () => {
    expect(judgePath("~/.aws/config", facts)).toContain("credentials");
  });

  test("names are compared without case, and in one Unicode form, where the file system does so", () => {
    const careless = fakeFacts({}, { caseInsensitive: true });
    for (const path of [
      "/home/u/.SSH/config",
      "/home/u/.ſsh/config",
      "/home/u/.s\u200bsh/config",
      "/HOME/U/.Aws/x",
    ]) {
      expect(judgePath(path, careless)).not.toBeNull();
    }
    expect(judgePath("/home/u/project/.SSH2/config", careless)).toBeNull();
  });
});

describe("reading everything below a folder", () => {
  test.each([
    "/",
    "/home",
    "/home/u",
    "~",
    "..",
    "/etc",
    "/root",
    "/proc",
    "/home/u/.config",
    "/home/u/.ash",
    "to-home",
    "/etc/ssl",
  ])("%s is refused", (path) => {
    expect(judgeRecursion(path, facts)).toContain("narrower folder");
  });

  test.each([".", "src", "/home/u/project", "/usr/include", "/etc/nginx", "/var/log", "/home/u/.ash/tools"])(
    "%s is fine",
    (path) => {
      expect(judgeRecursion(path, facts)).toBeNull();
    },
  );

  test("the current folder is judged as the folder it is", () => {
    expect(judgeRecursion(".", fakeFacts({}, { folder: "/home/u" }))).toContain("narrower folder");
  });
});
