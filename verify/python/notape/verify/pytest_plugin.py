"""The plugin of pytest: the fixture `verify`, options, a summary, and files with all certificates."""
import json
import os
import re
import time

import pytest


def pytest_addoption(parser):
    group = parser.getgroup("notape", "derivatives (notape)")
    group.addoption("--notape-seed", metavar="N", help="draw directions and inputs from this seed; 1 by default")
    group.addoption("--notape-budget", metavar="SECONDS", help="no further case of an @op test after these")
    group.addoption("--notape-case", metavar="CODE", help="run this case of a failure again")
    group.addoption("--notape-out", metavar="DIR", help="write certificates.jsonl, junit.xml, results.sarif and "
                    "report.html there")


def pytest_configure(config):
    for option, variable in (("seed", "NOTAPE_SEED"), ("budget", "NOTAPE_BUDGET"), ("case", "NOTAPE_CASE")):
        value = config.getoption(f"notape_{option}")
        if value is not None:
            os.environ[variable] = value  # processes that are started have it, too
    if not config.pluginmanager.hasplugin("notape-session"):
        config.pluginmanager.register(Session(config), "notape-session")


@pytest.fixture
def verify():
    """check() that fails the test with the report."""
    from .checking import check

    def verified(f, *inputs, **options):
        result = check(f, *inputs, **options)
        if not result:
            pytest.fail(repr(result), pytrace=False)
        return result

    return verified


def without_twins(lines):
    """Ids are unique: of functions of one name, later ones get a number."""
    seen = {}
    for line in lines:
        record = json.loads(line)
        number = seen[record["id"]] = seen.get(record["id"], 0) + 1
        if number > 1:
            name = record["subject"]["operator"]
            record["subject"]["operator"] = f"{name}.{number}"
            record["id"] = record["subject"]["operator"] + record["id"][len(name):]
        yield json.dumps(record) + "\n"


class Session:
    def __init__(self, config):
        self.config, self.told, self.found = config, [], []

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item):
        from . import checking
        self.found, self.start = [], time.monotonic()
        listen = self.found.append
        checking.listeners.append(listen)
        yield
        checking.listeners.remove(listen)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = (yield).get_result()
        if call.when != "call" or not self.found:
            return
        seconds = (time.monotonic() - self.start) / len(self.found)
        report.notape = [{"name": one.name, "ok": one.ok, "checks": len(one.findings), "seconds": seconds,
                          "power": one.power if one.power < float("inf") else None, "lines": one._lines}
                         for one in self.found]
        bad = [one for one in self.found if not one.ok]
        if report.failed and bad:
            if repr(bad[-1]) not in str(report.longrepr):  # pytest shortens what stands in an assert
                report.sections.append(("notape", repr(bad[-1])))
            report.sections.append(("again", again(item.nodeid, bad[-1].text)))

    def pytest_runtest_logreport(self, report):
        self.told += getattr(report, "notape", [])

    def pytest_terminal_summary(self, terminalreporter):
        if not self.told:
            return
        powers = [one["power"] for one in self.told if one["ok"] and one["power"]]
        weakest = max((one for one in self.told if one["power"] in powers), key=lambda one: one["power"], default=None)
        wrong = sum(not one["ok"] for one in self.told)
        terminalreporter.section("notape")
        terminalreporter.write_line(
            f"{len(self.told)} functions, {sum(one['checks'] for one in self.told)} checks, {wrong} wrong or undecided, "
            f"{sum(one['seconds'] for one in self.told):.1f} s" +
            (f"; errors above {weakest['power']:.0e} ({weakest['name']}) would have been seen" if weakest else ""))

    def pytest_sessionfinish(self, session):
        folder = self.config.getoption("notape_out")
        if not folder or hasattr(self.config, "workerinput") or not self.told:
            return
        from . import library
        os.makedirs(folder, exist_ok=True)
        bundle = "".join(without_twins(line for one in self.told for line in one["lines"]))
        for name, form in (("certificates.jsonl", None), ("junit.xml", "junit"), ("results.sarif", "sarif"),
                           ("report.html", "html")):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
                out.write(library.render(bundle, form) if form else bundle)


def again(nodeid, text):
    """The command that runs the case again."""
    case = re.search(r"NOTAPE_CASE=(\w+)", text)
    seed = os.environ.get("NOTAPE_SEED")
    return f"pytest '{nodeid}'" + (f" --notape-case {case[1]}" if case else "") + \
        (f" --notape-seed {seed}" if seed else "")
