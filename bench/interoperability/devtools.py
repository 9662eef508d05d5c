"""A headless Chromium through its DevTools protocol, over pipes: no package and no port is needed."""
import fcntl
import json
import os
import shutil
import subprocess
import tempfile


class DevTools:
    """One page. Close it."""

    def __init__(self, program):
        self.profile = tempfile.mkdtemp()
        with open(os.path.join(self.profile, "Local State"), "w", encoding="utf-8") as state:
            json.dump({"internal_only_uis_enabled": True}, state)  # chrome://tracing is one of these
        there, self.to = os.pipe()
        self.back, here = os.pipe()
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 100) for end in (there, here)]
        self.process = subprocess.Popen(
            ["bash", "-c", 'exec "$0" "${@:3}" 3<&"$1" 4>&"$2"', program, *map(str, ends), "--headless=new",
             "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe",
             "--user-data-dir=" + self.profile],
            pass_fds=ends, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for end in (there, here, *ends):
            os.close(end)
        self.text, self.number, self.session = b"", 0, None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable")

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        left = memoryview(json.dumps(message).encode() + b"\0")
        while left:
            left = left[os.write(self.to, left):]
        answer = self.wait(lambda found: found.get("id") == self.number)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error'].get('message')}")
        return answer["result"]

    def wait(self, fits):
        while True:
            while b"\0" in self.text:
                line, self.text = self.text.split(b"\0", 1)
                message = json.loads(line)
                if fits(message):
                    return message
            part = os.read(self.back, 1 << 20)
            if not part:
                raise RuntimeError("the browser ended")
            self.text += part

    def open(self, address, first_script=None):
        """Whether the page could be loaded."""
        if first_script:
            self.call("Page.addScriptToEvaluateOnNewDocument", source=first_script)
        answer = self.call("Page.navigate", url=address)
        self.wait(lambda found: found.get("method") == "Page.loadEventFired")
        return "errorText" not in answer

    def value(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]).split("\n")[0])
        return answer["result"].get("value")

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.to)
        os.close(self.back)
        shutil.rmtree(self.profile, ignore_errors=True)
