"""What check() found."""
import json

from . import library

RED = ("FAIL", "REJECTED", "NONFINITE", "ERROR", "NONDETERMINISTIC", "VACUOUS")
FORMS = {".jsonl": "json", ".xml": "junit", ".sarif": "sarif", ".md": "markdown", ".html": "html", ".svg": "picture"}


class Result:
    """True if nothing is wrong and nothing undecided. Its text is the report."""

    def __init__(self, report, tracebacks=(), extra=()):
        self.name, self.note = report["name"], report["note"]
        self._lines = [finding["certificate"] for finding in report["findings"]]
        self.findings = [{key: one[key] for key in ("check", "verdict", "detail", "text", "power")}
                         for one in report["findings"]]
        self.findings += [dict(one, power=0.0) for one in extra]
        self._lines += [line for one in extra for line in self._certificate_of(one)]
        bad = [one for one in extra if one["verdict"] in RED]
        self.verdict = "FAIL" if bad else report["verdict"]
        self.ok = report["ok"] and not bad
        self.proven = report["proven"] and not bad
        #: The largest relative error of a derivative that could have passed; infinite if something is wrong or undecided.
        self.power = report.get("power", float("inf")) if not bad else float("inf")
        self.text = "".join(one["text"] for one in bad) + (report["text"] if not (bad and report["ok"]) else "")
        if tracebacks and any(one["verdict"] in ("REJECTED", "ERROR") for one in report["findings"] or [report]):
            self.text += "".join("\n" + one for one in tracebacks[:1])

    def _certificate_of(self, finding):
        if not self._lines:
            return
        record = json.loads(self._lines[0])
        record.update(id=record["id"].replace(f"/{record['check']}/", f"/{finding['check']}/"), check=finding["check"],
                      verdict=finding["verdict"], detail=finding["detail"], replay="")
        record.pop("case", None)
        yield json.dumps(record)

    @property
    def certificates(self):
        """One dictionary per check: verify/report/SCHEMA.md."""
        return [json.loads(line) for line in self._lines]

    @property
    def bundle(self):
        """The certificates as lines."""
        return "".join(line + "\n" for line in self._lines)

    def picture(self):
        """The step ladder as SVG: of the first wrong derivative, else of the first that is right; empty if there is none."""
        return library.render(self.bundle, "picture") if self._lines else ""

    def write(self, path):
        """As certificates (.jsonl), JUnit (.xml), SARIF (.sarif), .md, .html or a picture (.svg)."""
        ending = path[path.rfind("."):]
        if ending not in FORMS:
            raise ValueError(f"{path}: the name of a report ends in one of {', '.join(FORMS)}")
        form = FORMS[ending]
        text = self.bundle if form == "json" else library.render(self.bundle, form)
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)

    def only(self, check):
        """The findings of one check."""
        return [one for one in self.findings if one["check"] == check]

    def __bool__(self):
        return self.ok

    def __repr__(self):
        return self.text.strip("\n")

    def _repr_html_(self):
        import html
        return f"<pre>{html.escape(repr(self))}</pre>{self.picture()}"
