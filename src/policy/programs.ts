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
    dc gnuplot octave maxima gp swipl clisp ecl gforth csi tsx ts-node esbuild pyenv poetry pipenv conda tox pytest
    fakeroot proot schroot dchroot gosu su-exec setuidgid s6-setuidgid softlimit chpst cgexec runcon aa-exec run0
    systemd-inhibit systemd-nspawn dbus-run-session dbus-launch xvfb-run torsocks torify proxychains proxychains4
    eatmydata rlwrap entr watchexec nodemon hyperfine direnv tini dumb-init rr bpftrace fzf bat ag ack tig
    kak hx micro vis sam ssh-agent ssh-copy-id autossh sshpass gdbserver distrobox toolbox flatpak-spawn
    7z 7za unrar bsdtar gtar pax rpmbuild dpkg-deb docker-compose
  `),
);

/** Runners that only print something when they get no argument. */
const HARMLESS_ALONE: ReadonlySet<string> = new Set(["env"]);

/** Programs with subcommands, some of which start others: allowed only for subcommands the list names. */
export const SUBCOMMAND_RUNNERS: ReadonlySet<string> = new Set(
  words(`
    docker podman nerdctl kubectl oc helm systemctl go cargo npm pnpm yarn pip pip3 uv gem bundle terraform
    dpkg rpm apt apt-get yum dnf pacman brew snap flatpak hg svn cvs bzr gh
  `),
);

/** True when no call of the name runs unless the list lifts the argument rules. */
export const alwaysRunsPrograms = (name: string): boolean => runsPrograms(name) && !HARMLESS_ALONE.has(name);

/** True when the name, or its stem before a version such as `3.12`, starts other programs. */
export function runsPrograms(name: string): boolean {
  if (RUNNERS.has(name)) return true;
  const stem = name.replace(/-?\d+(\.\d+)*$/, "");
  return stem !== name && RUNNERS.has(stem);
}

/**
 * Programs that ask a service of this machine over a local socket. They get one only where the list names what they may
 * do, since such a service does what it is told.
 */
export const LOCAL_CLIENTS: ReadonlySet<string> = new Set(
  words(`
    docker podman nerdctl systemctl loginctl hostnamectl timedatectl localectl resolvectl networkctl nmcli busctl
    bluetoothctl udisksctl upower snap flatpak virsh lxc
  `),
);

/** Programs that read the current folder when no argument names another. */
export const FOLDER_READERS: ReadonlySet<string> = new Set(
  words("ls dir vdir tree du find fd rg grep git ag ack lsattr getfacl"),
);

/** Programs that change files or the machine by nature: a plain line of the allowlist lets them run after a yes. */
export const WRITERS: ReadonlySet<string> = new Set(
  words(`
    cp mv rm ln mkdir rmdir touch tee dd install truncate shred unlink mktemp mkfifo mknod sponge
    chmod chown chgrp chattr setfacl setfattr rename patch gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lzma
    kill pkill killall renice reboot shutdown halt poweroff mkfs fsck fdisk parted swapon swapoff umount
    iptables nft ufw useradd userdel usermod groupadd passwd visudo crontab modprobe insmod rmmod
    convert magick mogrify ffmpeg pandoc pbcopy xclip xsel wl-copy defaults launchctl diskutil networksetup open
  `),
);

/** Programs that talk to other machines and have no rule of their own: they run after a yes too. */
export const TALKERS: ReadonlySet<string> = new Set(
  words(`
    curl wget aria2c http https xh ftp tftp lftp lynx w3m links elinks whois finger nmap masscan tcpdump tshark
    mail mailx sendmail mutt telegram-send aws gcloud az doctl terraform psql mysql redis-cli mongosh
  `),
);

/** Commands that exit with 1 to say "nothing found" or "different", which is an answer and not a failure. */
export const ONE_IS_AN_ANSWER: ReadonlySet<string> = new Set(
  words("grep egrep fgrep rg pgrep diff cmp comm test expr which"),
);
