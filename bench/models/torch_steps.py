#!/usr/bin/env python3
"""Training steps of PyTorch, as paper_examples/models/workload.cpp takes them, when it is told to.

torch_steps.py MODEL SCALE BATCH DEVICE THREADS MATH

Started by `notape bench table1`; parity.py imports it. Standard input asks, a line each: "steps N" is
answered with seconds, "cpu" with the processor's seconds so far, "memory" with the most bytes in use,
"units" with what a batch counts as, "lengths L" has batches drawn that have sentences of these.
"""
import platform
import sys
import time

try:
    import torch
except ImportError as error:
    print(f"missing\t{type(error).__name__}: {error}".replace("\n", " "), flush=True)
    sys.exit()
from torch import nn
from torch.nn import functional as F

from torch_models import GNMT, NCF, AlexNet, MobileNetV2, ResNet, Transformer, VGG19


def sgd(rate, decay=1e-4):
    return lambda parameters: torch.optim.SGD(parameters, rate, momentum=0.9, weight_decay=decay)


def adam(rate, betas=(0.9, 0.999)):
    return lambda parameters: torch.optim.Adam(parameters, rate, betas=betas)


class Workload:
    clip_norm = None
    draws_each_step = False

    def draw_batches(self, samples, lengths=None):
        return [self.draw(samples)]


class Images(Workload):

    def __init__(self, make, optimizer, tiny_size, tiny_width, scale):
        self.is_tiny = scale == "tiny"
        self.size, self.classes = (tiny_size, 10) if self.is_tiny else (224, 1000)
        self.model = make(self.classes, tiny_width if self.is_tiny else 1, self.is_tiny)
        self.optimizer = optimizer

    def draw(self, samples):
        return [torch.rand(samples, 3, self.size, self.size), torch.randint(self.classes, (samples,))]

    def loss(self, batch):
        return F.cross_entropy(self.model(batch[0]), batch[1])

    def units(self, batch):
        return len(batch[0])


def lengths_between(low, high, count):
    """The same on both sides."""
    return [low + i * 7 % (high - low + 1) for i in range(count)]


def sentences(lengths, vocabulary):
    result = torch.zeros(max(lengths), len(lengths), dtype=torch.int64)
    for i, length in enumerate(lengths):
        result[:length, i] = torch.randint(4, vocabulary, (length,))
    return result


class Translation(Workload):
    clip_norm = 5.0
    optimizer = staticmethod(adam(2e-3))
    SCALES = {"paper": (32320, 1024, 0.2, 27, 27), "small": (1500, 96, 0.2, 5, 14), "tiny": (23, 8, 0.0, 2, 7)}

    def __init__(self, scale):
        self.vocabulary, width, dropout, self.low, self.high = self.SCALES[scale]
        self.model = GNMT(self.vocabulary, width, dropout)

    def draw(self, samples):
        lengths = lengths_between(self.low, self.high, samples)
        return self.pairs(lengths, lengths[::-1])

    def pairs(self, source, target):
        return [sentences(source, self.vocabulary), torch.tensor(source), sentences(target, self.vocabulary)]

    def loss(self, batch):
        source, lengths, target = batch
        log_p = self.model(source, lengths.cpu(), target[:-1]).flatten(0, 1).log_softmax(-1)
        words = target[1:].flatten()
        counts = words != 0
        right = -log_p.gather(1, words.unsqueeze(1)).squeeze(1)[counts]
        return (0.9 * right + 0.1 * -log_p.mean(-1)[counts]).sum() / target.shape[1]

    def units(self, batch):
        return int((batch[0] != 0).sum() + (batch[2][1:] != 0).sum())


class Verses(Translation):
    def draw_batches(self, samples, lengths="5:5"):
        pairs = [[list(map(int, pair.split(":"))) for pair in batch.split(",")] for batch in lengths.split(" ")]
        return [self.pairs(*map(list, zip(*batch))) for batch in pairs]


class Filtering(Workload):
    optimizer = staticmethod(adam(4.5e-3, (0.25, 0.5)))
    SCALES = {"paper": (138493, 26744, 64, (256, 256, 128, 64), 0.5), "small": (671, 9066, 64, (256, 256, 128, 64), 0.5),
              "tiny": (13, 17, 4, (16, 8, 4), 0.0)}

    def __init__(self, scale):
        self.users, self.items = self.SCALES[scale][:2]
        self.model = NCF(*self.SCALES[scale])

    def draw(self, samples):
        return [torch.randint(self.users, (samples,)), torch.randint(self.items, (samples,)),
                torch.randint(2, (samples,)).to(torch.get_default_dtype())]

    def loss(self, batch):
        return F.binary_cross_entropy_with_logits(self.model(batch[0], batch[1]), batch[2])

    def units(self, batch):
        return len(batch[0])


class Sampling(Filtering):
    draws_each_step = True
    RATINGS = {"paper": 20000263, "small": 99333, "tiny": 60}

    def __init__(self, scale):
        super().__init__(scale)
        count = self.RATINGS[scale]
        self.user, self.item = torch.randint(self.users, (count,)), torch.randint(self.items, (count,))
        self.order, self.next = torch.empty(0), 0

    def draw(self, samples):
        ratings = min(max(samples // 5, 1), len(self.user))
        if self.next + ratings > len(self.order):
            self.order, self.next = torch.randperm(len(self.user)), 0
        chosen = self.order[self.next:self.next + ratings]
        self.next += ratings
        users = self.user[chosen].repeat(5)
        items = torch.cat([self.item[chosen], torch.randint(self.items, (4 * ratings,))])
        rated = torch.cat([torch.ones(ratings), torch.zeros(4 * ratings)])
        order = torch.randperm(5 * ratings)
        return [users[order], items[order], rated[order]]


class Language(Workload):
    optimizer = staticmethod(adam(1e-3))
    SCALES = {"paper": (8192, 256, 4, 4, 128, 0.1), "small": (8192, 256, 4, 4, 128, 0.1), "tiny": (19, 8, 2, 2, 6, 0.0)}

    def __init__(self, scale):
        self.vocabulary, self.length = self.SCALES[scale][0], self.SCALES[scale][4]
        self.model = Transformer(*self.SCALES[scale])

    def draw(self, samples):
        return [torch.randint(self.vocabulary, (self.length + 1, samples))]

    def loss(self, batch):
        return F.cross_entropy(self.model(batch[0][:-1]).flatten(0, 1), batch[0][1:].flatten())

    def units(self, batch):
        return batch[0][1:].numel()


def dropping(make, usual):
    return lambda classes, width, is_tiny: make(classes, width, 0.0 if is_tiny else usual)


def resnet(blocks, expansion):
    return lambda classes, width, _: ResNet(blocks, expansion, classes, width)


WORKLOADS = {
    "alexnet": lambda scale: Images(dropping(AlexNet, 0.5), sgd(0.01), 64, 1 / 16, scale),
    "vgg19": lambda scale: Images(dropping(VGG19, 0.5), sgd(0.01), 32, 1 / 32, scale),
    "resnet50": lambda scale: Images(resnet((3, 4, 6, 3), 4), sgd(0.1), 64, 1 / 16, scale),
    "resnet18": lambda scale: Images(resnet((2, 2, 2, 2), 1), sgd(0.1), 64, 1 / 16, scale),
    "mobilenetv2": lambda scale: Images(dropping(MobileNetV2, 0.2), sgd(0.045, 4e-5), 64, 0.25, scale),
    "gnmt": Translation,
    "ncf": Filtering,
    "transformer": Language,
}
VARIANTS = {"gnmt_verses": Verses, "ncf_sampling": Sampling}  # with other batches


def step(workload, batch, optimizer):
    optimizer.zero_grad()
    loss = workload.loss(batch)
    loss.backward()
    if workload.clip_norm is not None:
        nn.utils.clip_grad_norm_(workload.model.parameters(), workload.clip_norm)
    optimizer.step()
    return loss


def peak_memory():
    """The most bytes this process had in use."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM:"))


def serve(name, scale, samples, device, threads, is_tf32):
    torch.set_num_threads(threads)
    torch.backends.cudnn.benchmark = True
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = is_tf32
    workload = {**WORKLOADS, **VARIANTS}[name](scale)
    workload.model.to(device)
    there = lambda batch: [one.to(device) for one in batch]
    batches = list(map(there, workload.draw_batches(samples)))
    steps = 0
    optimizer = workload.optimizer(workload.model.parameters())
    print(f"ready\tPyTorch {torch.__version__.split('+')[0]}, Python {platform.python_version()}", flush=True)
    for line in sys.stdin:
        word, *rest = line.split()
        if word == "steps":
            begin = time.perf_counter()
            for _ in range(int(rest[0])):
                drawn = workload.draws_each_step
                batch = there(workload.draw(samples)) if drawn else batches[steps % len(batches)]
                loss = step(workload, batch, optimizer)
                steps += 1
            loss.item()  # waits for a device
            print(time.perf_counter() - begin, flush=True)
        elif word == "lengths":
            batches = list(map(there, workload.draw_batches(samples, " ".join(rest))))
            print(len(batches), flush=True)
        else:
            units = lambda: sum(map(workload.units, batches)) / len(batches)
            answers = {"cpu": time.process_time, "memory": peak_memory, "units": units}
            print(answers[word](), flush=True)


if __name__ == "__main__":
    serve(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], int(sys.argv[5]), sys.argv[6] == "tf32")
