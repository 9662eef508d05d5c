"""Inputs like those of GradBench's full runs: their shapes, with numbers drawn here from a seed."""

import random


def numbers(draw, *sizes):
    if not sizes:
        return draw()
    return [numbers(draw, *sizes[1:]) for _ in range(sizes[0])]


def gmm(r, d, k, n=1000):
    normal = lambda: r.gauss(0, 1)
    return {"d": d, "k": k, "n": n, "m": 0, "gamma": 1.0, "x": numbers(normal, n, d),
            "alpha": numbers(normal, k), "mu": numbers(r.random, k, d), "q": numbers(normal, k, d),
            "l": numbers(normal, k, d * (d - 1) // 2)}


def lstm(r, layers, characters, bits=14):
    small = lambda: r.uniform(-1, 1)
    return {"main_params": numbers(small, 2 * layers, 4 * bits), "extra_params": numbers(small, 3, bits),
            "state": numbers(small, 2 * layers, bits),
            "sequence": numbers(lambda: float(r.random() < 0.5), characters, bits)}


def kmeans(r, k, n, d):
    points = numbers(r.random, n, d)  # centroids are near points, so that none is without
    return {"points": points, "centroids": [[x + r.uniform(-1e-3, 1e-3) for x in one] for one in points[:k]]}


def lse(r, n):
    return {"x": numbers(lambda: r.uniform(-1, 1), n)}


def llsq(r, n, m=128):
    return {"x": numbers(lambda: r.gauss(0, 1), m), "n": n}


def ode(r, n, s):
    return {"x": numbers(r.random, n), "s": s}


def det(r, ell):
    return {"A": numbers(lambda: r.gauss(0, 1), ell * ell), "ell": ell}


def ba(r, n, m, p):
    camera = [0.01, -0.2, 0.3, 0.5, -0.4, 1.0, 450.0, 1.5, -2.5, 1e-3, -1e-4]
    return {"n": n, "m": m, "p": p, "cam": camera, "x": [0.2, 0.1, 6.0], "w": 0.42, "feat": [3.0, -1.0]}


def ht(r, points, vertices):
    """A wrist, five fingers of four bones in a chain from it, and a forearm."""
    rigid = [[1.0, 0, 0, 0.1], [0, 1.0, 0, 0.2], [0, 0, 1.0, -0.1], [0, 0, 0, 1.0]]
    inverse = [[1.0, 0, 0, -0.1], [0, 1.0, 0, -0.2], [0, 0, 1.0, 0.1], [0, 0, 0, 1.0]]
    parents = [-1] + [parent for finger in range(5) for parent in (0, *(1 + 4 * finger + i for i in range(3)))] + [0]
    weights = []
    for _ in range(vertices):
        row = [0.0] * 22
        row[r.randrange(22)], row[r.randrange(22)] = 0.6, 0.4
        weights.append(row)
    normal = lambda: r.gauss(0, 1)
    return {"theta": numbers(lambda: r.uniform(-0.5, 0.5), 26), "us": numbers(lambda: r.uniform(0, 0.5), points, 2),
            "data": {"model": {"parents": parents, "base_relatives": [rigid] * 22,
                               "inverse_base_absolutes": [inverse] * 22,
                               "base_positions": [[normal(), normal(), normal(), 1.0] for _ in range(vertices)],
                               "weights": weights, "is_mirrored": False,
                               "triangles": [[r.randrange(vertices) for _ in range(3)] for _ in range(vertices)]},
                     "correspondences": [r.randrange(vertices) for _ in range(points)],
                     "points": numbers(normal, points, 3)}}


# Evaluation -> its functions and, of each input, the generator's arguments: smaller ones of a full run's.
RUNS = {
    "gmm": (("objective", "jacobian"), gmm, [(2, 5), (10, 25), (32, 25), (64, 50)]),
    "lstm": (("objective", "jacobian"), lstm, [(2, 1024), (4, 1024)]),
    "kmeans": (("cost", "dir"), kmeans, [(10, 10000, 8), (100, 10000, 16), (1000, 10000, 8)]),
    "lse": (("primal", "gradient"), lse, [(2500,), (40000,), (640000,)]),
    "llsq": (("primal", "gradient"), llsq, [(128,), (2048,), (16392,)]),
    "ode": (("primal", "gradient"), ode, [(1000, 1), (1000, 100), (10000, 10), (100000, 10)]),
    "det": (("primal", "gradient"), det, [(5,), (8,), (11,)]),
    "ba": (("objective", "jacobian"), ba, [(49, 7776, 31843)]),
    "ht": (("objective", "jacobian"), ht, [(100, 2000), (10000, 2000)]),
    "particle": (("rr", "rf", "fr", "ff"), lambda r: {"w": 0.0}, [()]),
    "saddle": (("rr", "rf", "fr", "ff"), lambda r: {"start": [1.0, 1.0]}, [()]),
    "hello": (("square", "double"), lambda r: 1.0, [()]),
}


def inputs(evaluation):
    """(name, input) of each."""
    _, make, sizes = RUNS[evaluation]
    for size in sizes:
        yield "x".join(map(str, size)) or "one", make(random.Random(1), *size)
