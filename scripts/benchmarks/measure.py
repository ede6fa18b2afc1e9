"""Runs commands interleaved and prints wall time and peak memory of each as JSON.

Input on stdin: {"rounds": N, "commands": {name: [argv...]}}. A forked Python is small, so that the peak memory the
kernel reports is that of the program itself and not of whoever started it.
"""
import json
import os
import sys
import time


def run(argv):
    began = time.perf_counter()
    pid = os.fork()
    if pid == 0:
        null = os.open(os.devnull, os.O_RDWR)
        for fd in (0, 1, 2):
            os.dup2(null, fd)
        os.execv(argv[0], argv)
    _, status, usage = os.wait4(pid, 0)
    return (time.perf_counter() - began) * 1000, usage.ru_maxrss / 1024, os.waitstatus_to_exitcode(status)


def main():
    task = json.load(sys.stdin)
    results = {name: {"ms": [], "mb": [], "exit": None} for name in task["commands"]}
    for _ in range(task["rounds"]):
        for name, argv in task["commands"].items():
            ms, mb, code = run(argv)
            results[name]["ms"].append(ms)
            results[name]["mb"].append(mb)
            results[name]["exit"] = code
    json.dump(results, sys.stdout)


main()
