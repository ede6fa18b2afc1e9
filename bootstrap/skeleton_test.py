"""Tests of @NAME@.py. Run them with: python3 -I @TEST@"""

import json
import os
import subprocess
import sys
import unittest

TOOL = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "@NAME@.py")


def run(*arguments):
    """Runs the tool as ash does; returns its exit code and its output."""
    command = [sys.executable, "-I", "-X", "utf8", "-u", "-B", TOOL, *arguments]
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    return ended.returncode, ended.stdout.decode("utf-8"), ended.stderr.decode("utf-8")


class @CLASS@Test(unittest.TestCase):
    def answer(self, exit_code, *arguments):
        """Runs the tool, expects this exit code and nothing on stderr, and returns its one JSON object."""
        code, output, errors = run(*arguments)
        self.assertEqual((code, errors), (exit_code, ""))
        return json.loads(output)

    def test_documents_itself_before_it_looks_at_anything_else(self):
        for arguments in (["--ai-docs"], ["--no-such-flag", "--ai-docs"]):
            code, output, errors = run(*arguments)
            self.assertEqual((code, errors), (0, ""))
            for section in ("Capabilities", "Arguments", "Return format", "Usage guidance"):
                self.assertIn("## " + section, output)

    def test_refuses_an_unknown_flag_as_json(self):
        answer = self.answer(2, "--no-such-flag")
        self.assertEqual((answer["status"], answer["error"]), ("error", "usage"))

@REQUIRED_TEST@    def test_answers(self):
        answer = self.answer(0@ARGUMENTS@)
        self.assertEqual(answer["status"], "ok")
@ASSERTIONS@

if __name__ == "__main__":
    unittest.main()
