"""check(isolate=True): in a new process, so that a crash or an endless loop is a verdict."""
import importlib
import os
import pickle
import signal
import subprocess
import sys
import tempfile

from .result import Result


def pickled(value):
    """By reference where there is a module, else, with cloudpickle, by value."""
    try:
        return pickle.dumps(value)
    except Exception as error:
        try:
            import cloudpickle
        except ImportError:
            raise TypeError(f"check(isolate=True) cannot send the function to a new process: {error}; "
                            "define it at the top of a module, or install cloudpickle") from error
        return cloudpickle.dumps(value)


def check_in_new_process(f, inputs, options, seconds=600.0):
    with tempfile.TemporaryDirectory() as folder:
        task, answer = os.path.join(folder, "task"), os.path.join(folder, "answer")
        main = sys.modules.get("__main__")
        with open(task, "wb") as out:
            pickle.dump((sys.path, getattr(main, "__file__", None), list(frameworks())), out)
            out.write(pickled((f, inputs, options)))
        process = subprocess.Popen([sys.executable, "-m", "notape.verify.isolated", task, answer],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            error = process.communicate(timeout=seconds)[1]
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return crashed(f, f"the process was ended after {seconds:g} s", "")
        if process.returncode == 0:
            with open(answer, "rb") as read:
                return pickle.load(read)
        how = f"exit({process.returncode})"
        if process.returncode < 0:
            how = signal.Signals(-process.returncode).name
        return crashed(f, f"the process ended: {how}", error)


def frameworks():
    return [name for name in ("numpy", "torch", "jax") if name in sys.modules]


def crashed(f, how, error):
    from .checking import broken, name_of, place_of
    file, line = place_of(f)
    report = broken(name_of(f), how, "ERROR")
    tail = "\n".join(error.strip().splitlines()[-15:])
    report["text"] += (f"  written at {file}:{line}\n" if line else "") + (f"\n{tail}\n" if tail else "")
    return Result(report)


def main(task, answer):
    with open(task, "rb") as read:
        path, main_file, names = pickle.load(read)
        sys.path[:] = path
        if main_file:  # what the user's program defines itself
            import runpy
            module = type(sys)("__mp_main__")
            module.__dict__.update(runpy.run_path(main_file, run_name="__mp_main__"))
            sys.modules["__main__"].__dict__.update(
                {key: value for key, value in module.__dict__.items() if not key.startswith("__")})
        for name in names:
            importlib.import_module(name)
        f, inputs, options = pickle.load(read)
    from .checking import check
    result = check(f, *inputs, **options)
    with open(answer, "wb") as out:
        pickle.dump(result, out)


if __name__ == "__main__":
    main(*sys.argv[1:3])
