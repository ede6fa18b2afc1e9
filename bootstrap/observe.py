"""Runs one script the way ash does, tells on stderr what it does that a tool may not, and does not let it.

python -I -c THIS TOKEN CLOSED_STDIN SCRIPT ARGUMENT…: each line it tells is TOKEN, a kind, a line number and a detail.
"""

import os
import sys

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
NETWORK = {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo"}
ADDRESSED = {"socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg"}
PROGRAMS = {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "pty.spawn"}
# Which arguments are paths; a descriptor of a folder comes last, where there is one.
PATHS = {
    "os.mkdir": (0,), "os.rmdir": (0,), "os.remove": (0,), "os.chmod": (0,), "os.chown": (0,), "os.utime": (0,),
    "os.symlink": (1,), "os.link": (1,), "os.rename": (0, 1), "os.truncate": (0,), "sqlite3.connect": (0,),
}
WITHOUT_FOLDER = {"os.truncate", "sqlite3.connect"}


def observe(token, script):
    temporary, told = os.path.realpath(os.environ.get("TMPDIR", "/tmp")), set()

    def tell(kind, detail):
        frame, line = sys._getframe(1), 0
        while frame is not None and not line:
            line = frame.f_lineno if frame.f_code.co_filename == script else 0
            frame = frame.f_back
        if (kind, line) not in told and len(told) < 20:
            told.add((kind, line))
            os.write(2, ("\n%s %s %d %s\n" % (token, kind, line, ascii(detail)[:200])).encode())

    def is_outside(path):
        if not isinstance(path, (str, bytes)) or path in ("", ":memory:"):
            return False
        real = os.path.realpath(os.fsdecode(path))
        return not real.startswith((temporary + os.sep, "/dev/", "/proc/")) and real != temporary

    def refuse_write(path):
        if is_outside(path):
            tell("write", path)
            raise PermissionError(13, "outside TMPDIR; refused by ash tools check", path)

    def refuse_network(detail):
        tell("network", detail)
        raise OSError(101, "no network; refused by ash tools check")

    def hook(event, arguments):
        if event == "open":
            if arguments[2] & WRITING:
                refuse_write(arguments[0])
        elif event in NETWORK:
            refuse_network(arguments[0])
        elif event in ADDRESSED:
            if not isinstance(arguments[1], (str, bytes, type(None))):
                refuse_network(arguments[1])
        elif event in PROGRAMS:
            tell("program", arguments[0])
            raise PermissionError(13, "no other program; refused by ash tools check")
        elif event in PATHS:
            in_folder = event not in WITHOUT_FOLDER and isinstance(arguments[-1], int) and arguments[-1] >= 0
            for position in () if in_folder else PATHS[event]:
                refuse_write(arguments[position])

    tell("python", "%d.%d.%d" % sys.version_info[:3])
    sys.addaudithook(hook)
    return tell


def main():
    token, closed_stdin, script = sys.argv[1:4]
    sys.argv = [script] + sys.argv[4:]
    with open(script, "rb") as file:
        source = file.read()
    if closed_stdin == "yes":
        os.close(0)
        sys.stdin = sys.__stdin__ = None
    tell = observe(token, script)
    module = type(sys)("__main__")
    module.__file__, module.__builtins__ = script, __builtins__
    try:
        code = compile(source, script, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        tell("syntax", "%s: %s" % (getattr(error, "lineno", None) or 1, getattr(error, "msg", None) or error))
        raise SystemExit(1)
    sys.modules["__main__"] = module
    exec(code, module.__dict__)


main()
