"""What the house checks share: the list of files and the way they report."""

import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CXX_SUFFIXES = (".h", ".cpp", ".cu", ".cuh")


def files(root=ROOT):
    """Paths below root, relative, of all tracked and all new files that git does not ignore."""
    listing = subprocess.run(
        ["git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        capture_output=True,
        text=True,
    ) if _is_git_root(root) else None
    if listing is not None and listing.returncode == 0:
        found = listing.stdout.split("\0")
    else:  # an unpacked archive
        found = [
            os.path.relpath(os.path.join(folder, name), root)
            for folder, _, names in os.walk(root)
            for name in names
            if not os.path.relpath(folder, root).startswith(("build", ".git" + os.sep))
        ]
    return sorted({f for f in found if f and os.path.isfile(os.path.join(root, f))})


def _is_git_root(root):
    return os.path.exists(os.path.join(root, ".git"))


def cxx_files(root=ROOT):
    return [f for f in files(root) if f.endswith(CXX_SUFFIXES)]


def read(path, root=ROOT):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def report(name, checked, violations):
    """One line per violation, one summary line; returns the exit status."""
    for violation in violations:
        print(violation)
    print(f"{name}: {checked} files, {len(violations)} violations")
    return 1 if violations else 0


def self_test(name, check, cases):
    """Runs check(root) on small trees. A case is (files, words): files maps path to text, and words
    must all stand in the one violation expected; without words the tree must be clean."""
    wrong = []
    for tree, words in cases:
        with tempfile.TemporaryDirectory() as root:
            for path, text in tree.items():
                os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write(text)
            violations = check(root)
        expected = 1 if words else 0
        if len(violations) != expected or not all(w in v for v in violations for w in words):
            wrong.append(f"{name} self-test: {sorted(tree)}: wanted {words or 'none'}, got {violations}")
    for line in wrong:
        print(line)
    print(f"{name} self-test: {len(cases)} cases, {len(wrong)} wrong")
    return 1 if wrong else 0
