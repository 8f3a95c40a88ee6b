"""The package as it is installed: by pip without a network, its metadata, its versions. Its types: tests/lint.sh."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

import attest

from common import needs, optional

SOURCE = Path(attest.__file__).parent.parent
pip, pytest = optional("pip"), optional("pytest")


def outside(directory, **more):
    """An environment that does not know the source tree."""
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE")}
    return {**environment, "PYTHONPATH": str(directory), "HOME": str(directory), "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", **more}


class Package(unittest.TestCase):
    @needs(pip, "pip")
    def test_pip(self):
        """pip install ./python, with and without isolation, without a network"""
        for more in ([], ["--no-build-isolation"]):
            with self.subTest(more), tempfile.TemporaryDirectory() as directory:
                command = [sys.executable, "-m", "pip", "install", "-q", "--target", directory, *more, str(SOURCE)]
                done = subprocess.run(command, env=outside(directory), capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                code = "import attest; print(attest.__file__, attest.judge([[1.0]], [[1.0]], [[1.0]], [[1.0]], kernel='fp32-any').verdict)"
                done = subprocess.run([sys.executable, "-c", code], cwd=directory, env=outside(directory), capture_output=True, text=True)
                self.assertEqual(done.stdout, f"{directory}/attest/__init__.py within\n", done.stderr)
                if pytest and not more:  # knows the plugin by its entry point
                    done = subprocess.run([sys.executable, "-m", "pytest", "--help"], cwd=directory, env=outside(directory), capture_output=True, text=True)
                    self.assertIn("--attest-save", done.stdout)

    def test_wheel(self):
        """The wheel is pure, the same each time, and has every file"""
        sys.path.insert(0, str(SOURCE / "backend"))
        import attest_build

        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
            name = attest_build.build_wheel(one)
            self.assertEqual(name, f"attest-{attest.__version__}-py3-none-any.whl")
            self.assertEqual((Path(one) / name).read_bytes(), (Path(two) / attest_build.build_wheel(two)).read_bytes())
            files = set(zipfile.ZipFile(Path(one) / name).namelist())
            self.assertTrue({f"attest/{path.name}" for path in (SOURCE / "attest").glob("*.py")} <= files)
            self.assertIn("attest/py.typed", files)
            attest_build.build_sdist(one)

    def test_versions(self):
        """The package, pyproject.toml, configure.ac and the library have one version"""
        configured = re.search(r"AC_INIT\(\[attest\], \[(.*)\]\)", (SOURCE.parent / "configure.ac").read_text()).group(1)
        project = re.search(r'^version = "(.*)"', (SOURCE / "pyproject.toml").read_text(), re.MULTILINE).group(1)
        self.assertEqual({attest.__version__, project, attest.version()}, {configured})
        listed = set(re.findall(r"python/attest/(\S+)", (SOURCE / "python.am").read_text()))
        self.assertEqual(listed, {path.name for path in (SOURCE / "attest").iterdir() if path.is_file()})

    def test_missing_library(self):
        done = subprocess.run([sys.executable, "-c", "import attest"], env={**os.environ, "ATTEST_LIBRARY": "/nowhere.so"}, capture_output=True, text=True)
        self.assertRegex(done.stderr.splitlines()[-1], "ImportError: libattest was not found .*ATTEST_LIBRARY")
