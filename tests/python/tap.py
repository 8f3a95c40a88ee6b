"""tap.py FILE: the tests of a file of unittest's, as TAP."""

import importlib.util
import os
import sys
import unittest


class Result(unittest.TestResult):
    """A line for every test; what was said of a failure goes before the next one."""

    count = 0
    failed = False

    def line(self, ok, test, more=""):
        self.count += 1
        name = (test.shortDescription() or test.id().split(".", 1)[-1]).rstrip(".")
        print(f"{'ok' if ok else 'not ok'} {self.count} - {name}{more}", flush=True)

    def addSuccess(self, test):
        self.line(True, test)

    def addSkip(self, test, reason):
        self.line(True, test, f" # SKIP {reason}")

    def addFailure(self, test, error):
        self.failed = True
        self.line(False, test)
        print("".join(f"# {line}\n" for line in self._exc_info_to_string(error, test).splitlines()), flush=True)

    addError = addFailure

    def addSubTest(self, test, subtest, error):
        if error is not None:
            self.addFailure(subtest, error)


def main(path):
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    name = os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location(f"attest_test_{name}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    result = Result()
    unittest.defaultTestLoader.loadTestsFromModule(module).run(result)
    print(f"1..{result.count}")
    return 1 if result.failed or not result.count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
