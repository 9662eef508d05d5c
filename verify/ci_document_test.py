#!/usr/bin/env python3
"""Runs the commands of CI.md as they stand there: of its workflows or of one of its recipes.

    ci_document_test.py BUILD notape|plugin|parallel|slurm|mpirun      exits with 77 where what a recipe needs is not there
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NEEDS = {"plugin": ("curl", "cc"), "parallel": ("parallel",), "mpirun": ("mpirun",)}
SHORT = "verify tanh mm relu softmax index sum"  # instead of `verify all`, in recipes


def blocks(document, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", document, re.M | re.S)


def commands_of(workflow):
    """What its steps run, in order."""
    commands, lines = [], iter(workflow.splitlines() + [""])
    for line in lines:
        found = re.match(r"( *)(?:- )?run: (.*)", line)
        if not found:
            continue
        command = found[2]
        if command in (">", "|"):
            folded = []
            for line in lines:
                if len(line) - len(line.lstrip()) <= len(found[1]):
                    break
                folded.append(line.strip())
            command = (" " if command == ">" else "\n").join(folded)
        commands.append(command)
    return commands


def run(command, folder, expected=0, **environment):
    print(f"$ {command}", flush=True)
    environment = {name: value for name, value in os.environ.items() if name != "RC_PARAMS"} | environment  # as a user has it
    done = subprocess.run(["bash", "-eo", "pipefail", "-c", command], cwd=folder, env=environment)
    assert done.returncode == expected, f"exit status {done.returncode}: {command}"


def run_workflow(commands, folder, build):
    os.symlink(build, os.path.join(folder, "build"))
    summary = os.path.join(folder, "step_summary")
    for command in commands:
        if not command.startswith("./run build"):  # which has been done
            run(command, folder, GITHUB_STEP_SUMMARY=summary, NOTAPE_URL=f"file://{folder}/packed.tar.gz")
    for name in ("certificates.jsonl.gz", "junit.xml", "verify.sarif", "summary.md", "index.html"):
        assert os.path.getsize(os.path.join(folder, "report", name)), name


def main(build, which):
    build = os.path.abspath(build)
    absent = [name for name in NEEDS.get(which, ()) if not shutil.which(name)]
    if absent:
        print(f"skipped: {', '.join(absent)} not installed")
        return 77
    with open(os.path.join(ROOT, "verify", "CI.md"), encoding="utf-8") as file:
        document = file.read()
    plugin, own = (commands_of(block) for block in blocks(document, "yaml"))
    recipes = [block.replace("verify all", SHORT) for block in blocks(document, "sh")]
    with tempfile.TemporaryDirectory() as folder:
        if which == "notape":
            run_workflow(own, folder, build)
            page = os.path.getsize(os.path.join(folder, "report", "index.html"))
            assert page < 2_000_000, f"a page of all operators has {page} bytes"
            return 0
        if which == "plugin":
            subprocess.run([sys.executable, os.path.join(ROOT, "cmake", "dist.py"), build, f"{folder}/packed.tar.gz"], check=True)
            os.mkdir(os.path.join(folder, "src"))
            with open(os.path.join(ROOT, "paper_examples/own_operators/c_operators.c"), encoding="utf-8") as file:
                source = file.read().replace("load(inputs, i) * grad); /* should be 2 x */", "2 * load(inputs, i) * grad);")
            with open(os.path.join(folder, "src", "myops.c"), "w", encoding="utf-8") as file:
                file.write(source)
            run_workflow(plugin, folder, build)
            return 0
        parallel, slurm, mpirun = recipes
        path = {"PATH": f"{build}:{os.environ['PATH']}"}
        if which == "parallel":
            run(parallel, folder, **path)
        elif which == "slurm":  # as it calls the file
            for task in "1234":
                run(slurm, folder, **path, SLURM_ARRAY_TASK_ID=task, SLURM_ARRAY_TASK_COUNT="4")
            run(parallel.splitlines()[1], folder, **path)
        else:  # root, and more processes than cores: Open MPI wants to be told
            run(mpirun, folder, **path, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                OMPI_MCA_rmaps_base_oversubscribe="1")
        assert os.path.getsize(os.path.join(folder, "report", "index.html"))
        os.remove(os.path.join(folder, "shards", "shard-3-of-4.gz"))
        run("notape verify merge shards", folder, expected=5, **path)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
