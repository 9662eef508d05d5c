"""Runs a file of tests with pytest; 77 where pytest or NumPy is not there."""
import os
import sys

try:
    import numpy  # noqa: F401
    import pytest
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

os.chdir(os.path.dirname(os.path.abspath(__file__)))
status = pytest.main(["-q", "-p", "no:cacheprovider", "-W", "ignore", "-rs", *sys.argv[1:]])
sys.exit(77 if status == pytest.ExitCode.NO_TESTS_COLLECTED else int(status))
