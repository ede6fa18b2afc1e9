// Programs that run other programs, or change the machine by nature. They are refused unless a line of the
// allowlist says `unrestricted`. Names only.

const words = (text: string): readonly string[] => text.split(/\s+/).filter(Boolean);

/** Names, and stems of versioned names such as python3.12, that start what they are told to. */
export const RUNNERS: ReadonlySet<string> = new Set(
  words(`
    sh bash dash zsh fish ksh mksh csh tcsh rbash ash busybox toybox
    env xargs parallel timeout nice nohup setsid stdbuf ionice chrt taskset unbuffer script watch flock time
    strace ltrace gdb lldb valgrind perf expect setarch setpriv prlimit numactl choom catchsegv faketime
    sudo doas su pkexec runuser chroot unshare nsenter firejail bwrap capsh newgrp sg
    systemd-run machinectl at batch crontab start-stop-daemon run-parts
    python pypy perl ruby node nodejs deno bun lua luajit php tclsh wish guile julia Rscript R java jshell
    osascript swift scala groovy erl elixir iex ghc runghc ocaml sbcl racket irb pry
    make gmake cmake ninja meson rustc npx pipx uvx mvn gradle ant bazel
    vagrant qemu-system-x86_64 lxc ctr
    ssh scp sftp rsync telnet nc ncat netcat socat rlogin rsh mosh tmux screen
    vi vim nvim view vimdiff nano emacs ed ex more pico joe mcedit
    gcc g++ cc c++ clang clang++ ld as tcc
    tar cpio zip ar
    git-shell m4 split csplit sdiff diff3 ld.so
  `),
);

/** Programs with subcommands, some of which start others: allowed only for subcommands the list names. */
export const SUBCOMMAND_RUNNERS: ReadonlySet<string> = new Set(
  words(`
    docker podman nerdctl kubectl oc helm systemctl go cargo npm pnpm yarn pip pip3 uv gem bundle terraform
    dpkg rpm apt apt-get yum dnf pacman brew snap flatpak hg svn cvs bzr gh
  `),
);

/** True when the name, or its stem before a version such as `3.12`, starts other programs. */
export function runsPrograms(name: string): boolean {
  if (RUNNERS.has(name)) return true;
  const stem = name.replace(/-?\d+(\.\d+)*$/, "");
  return stem !== name && RUNNERS.has(stem);
}

/** Commands whose arguments are text or programs of their own: shell characters mean nothing bad in them. */
export const TEXT_ARGUMENTS: ReadonlySet<string> = new Set(
  words(`
    grep egrep fgrep rg awk gawk mawk sed jq find fd date printf echo expr test tr cut paste sort uniq column
    seq stat ls cat head tail wc du df file strings basename dirname numfmt sqlite3 od xxd hexdump
  `),
);

/** Commands that exit with 1 to say "nothing found" or "different", which is an answer and not a failure. */
export const ONE_IS_AN_ANSWER: ReadonlySet<string> = new Set(
  words("grep egrep fgrep rg pgrep diff cmp comm test expr which"),
);
