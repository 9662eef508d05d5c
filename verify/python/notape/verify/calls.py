"""What the engine asks of a function, and what the function did wrong on the way."""
import os
import signal
import threading
import time
import traceback

from . import library
from .memory import Memory

HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep


class NotThere(Exception):
    """The function has no such derivative, and says so."""


class Fault(Exception):
    """The function did what it may not do."""


def where(error):
    """"name.py:12, in backward": the innermost frame that is the user's; empty if there is none."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(HERE)]
    mine = [frame for frame in frames if "site-packages" not in frame.filename and "<" not in frame.filename]
    if not mine:
        return ""
    return f"{os.path.basename(mine[-1].filename)}:{mine[-1].lineno}, in {mine[-1].name}"


def users_traceback(error):
    """The traceback without the frames of this package."""
    summary = traceback.extract_tb(error.__traceback__)
    frames = [frame for frame in summary if not frame.filename.startswith(HERE)]
    head = ["Traceback (most recent call last):\n"] if frames else []
    return "".join(head + traceback.format_list(frames) + traceback.format_exception_only(type(error), error))


class Watch:
    """Ends a call of Python code that takes longer than `seconds`, where this thread may have an alarm and nobody else has
    one: TimeoutError inside of it. Its alarm ticks now and then, so that calls themselves cost nothing."""

    def __init__(self, seconds):
        self.seconds, self.since = seconds, None
        self.is_mine = False

    def __enter__(self):
        self.is_mine = bool(self.seconds) and threading.current_thread() is threading.main_thread() and \
            signal.getsignal(signal.SIGALRM) in (signal.SIG_DFL, None)
        if self.is_mine:
            signal.signal(signal.SIGALRM, self.tick)
            signal.setitimer(signal.ITIMER_REAL, self.seconds / 4, self.seconds / 4)
        return self

    def __exit__(self, *_):
        if self.is_mine:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)

    def tick(self, _, frame):
        if self.since is None or time.monotonic() - self.since <= self.seconds:
            return
        while frame:  # half a module would stay for everybody: PyTorch imports some when it is first asked for a gradient
            if frame.f_code.co_filename.startswith("<frozen importlib"):
                self.since = time.monotonic()
                return
            frame = frame.f_back
        raise TimeoutError(f"a call took longer than {self.seconds:g} s")


class Calls:
    """The callback of one check. `subject` is a function of some framework (subjects.py)."""

    def __init__(self, subject, seconds):
        self.subject, self.watch = subject, Watch(seconds)
        self.graphs, self.next_graph = {}, 1
        self.interrupted = None
        self.hung = ""  # how: then all that follow would
        self.tracebacks = []
        self.kept = threading.local()  # outputs of the latest call, and its error

    def __call__(self, pointer):
        request = pointer.contents
        if request.what == library.RELEASE:
            self.graphs.pop(request.graph, None)
            return library.DONE
        if library.ending.is_set() and not self.interrupted:
            self.interrupted = SystemExit("the interpreter is ending")
        if self.interrupted:
            return self.refuse(request, library.INTERRUPTED, "interrupted")
        if self.hung:
            return self.refuse(request, library.RAISED, self.hung)
        try:
            self.watch.since = time.monotonic()
            outputs = self.answer(request)
            self.watch.since = None
            self.kept.outputs, described = outputs, self.subject.described(outputs)
            self.kept.tensors = (library.Tensor * len(described))(*described)
            request.output_count, request.outputs = len(described), self.kept.tensors
            return library.DONE
        except NotThere as error:
            return self.refuse(request, library.NOT_THERE, str(error))
        except Fault as error:
            return self.refuse(request, library.RAISED, str(error))
        except (KeyboardInterrupt, SystemExit) as error:
            self.interrupted = error
            return self.refuse(request, library.INTERRUPTED, "interrupted")
        except BaseException as error:
            if self.subject.is_not_there(error, request.word.decode()):
                return self.refuse(request, library.NOT_THERE, f"{type(error).__name__}: {error}")
            if len(self.tracebacks) < 3:
                self.tracebacks.append(users_traceback(error))
            place = where(error)
            said = f"{type(error).__name__}: {error}" + (f" ({place})" if place else "")
            self.hung = said if isinstance(error, TimeoutError) else ""
            return self.refuse(request, library.RAISED, said)

    def refuse(self, request, status, message):
        self.watch.since = None
        self.kept.error = message.encode("utf-8", "replace")
        request.error = self.kept.error
        return status

    def answer(self, request):
        self.subject.rounding = request.rounding
        if request.what == library.BACKWARD:
            memories, graph, names = self.graphs[request.graph]
            incoming = [Memory(request.inputs[i]) if request.inputs[i].dtype else None
                        for i in range(request.input_count)]
            found = self.subject.backward(graph, incoming)
            self.look_for_faults("backward", memories + [one for one in incoming if one],
                                 names + [f"the incoming gradient {k}" for k in range(len(incoming))])
            return found
        word = request.word.decode()
        memories = [Memory(request.inputs[i]) for i in range(request.input_count)]
        if word == "S":
            return self.subject.declared(memories)
        wanted = [bool(request.wanted[i]) for i in range(request.input_count)]
        outputs, graph = self.subject.forward(word, memories, wanted, bool(request.record))
        names = (self.subject.names + [f"the incoming value {k}" for k in range(len(memories))])[:len(memories)]
        self.look_for_faults("the function", memories, names)
        if graph is not None:
            request.made_graph, self.next_graph = self.next_graph, self.next_graph + 1
            self.graphs[request.made_graph] = memories, graph, names
        return outputs

    @staticmethod
    def look_for_faults(who, memories, names):
        for memory, name in zip(memories, names):
            fault = memory.fault()
            if fault:
                raise Fault(f"{who} changed {name}: it {fault}")

