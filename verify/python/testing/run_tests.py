"""Runs a file of tests with pytest; 77 where pytest or what the file is about is not there."""
import os
import sys

try:
    import numpy  # noqa: F401
    import pytest
except ImportError as missing:
    print(f"skipped: {missing} (Debian: python3-pytest, python3-numpy)")
    sys.exit(77)

if __name__ == "__main__":  # a new process of isolate=True reads this file, too
    os.chdir(os.path.dirname(os.path.abspath(__file__)))
    status = pytest.main(["-q", "-p", "no:cacheprovider", "-W", "ignore", "--durations=3", "-rs", *sys.argv[1:]])
    sys.exit(77 if status == pytest.ExitCode.NO_TESTS_COLLECTED else int(status))
