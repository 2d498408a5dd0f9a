"""Figures of the data sets of data-sets.ts by scikit-learn, SciPy and pROC, as JSON. The tests hold its output.

    apt-get install r-base-core r-cran-proc
    pip install scikit-learn==1.9.1 scipy==1.17.1 numpy==2.4.6
    python test/evaluate/reference.py > test/evaluate/reference.json
"""

import json
import os
import subprocess
import sys
import tempfile

import numpy as np
from scipy import stats
from sklearn import metrics
from sklearn.calibration import calibration_curve

HERE = os.path.dirname(os.path.abspath(__file__))
Z = stats.norm.ppf(0.975)


def uniform(seed, n):
    """The same numbers as `uniform` of data-sets.ts: murmur3's finalizer of a counter."""
    h = np.arange(n, dtype=np.uint32) * np.uint32(0x9E3779B1) + np.uint32(seed * 0x85EBCA6B % 2**32)
    h ^= h >> np.uint32(16)
    h *= np.uint32(0x85EBCA6B)
    h ^= h >> np.uint32(13)
    h *= np.uint32(0xC2B2AE35)
    h ^= h >> np.uint32(16)
    return h / 2.0**32


def r(*args):
    out = subprocess.run(["Rscript", f"{HERE}/reference.R", *map(str, args)], capture_output=True, text=True, check=True)
    return [float(x) for x in out.stdout.split()]


def figure(value, low=None, high=None):
    return {"value": none(value), "low": none(low), "high": none(high)}


def none(x):
    return None if x is None or not np.isfinite(x) else float(x)


def mean(values):
    m = np.mean(values)
    if len(values) < 2:
        return figure(m)
    half = Z * np.std(values, ddof=1) / np.sqrt(len(values))
    return figure(m, m - half, m + half)


def share(x, n):
    return figure(None) if n == 0 else figure(x / n, *r("share", int(x), int(n)))


def auc(y, p):
    if len(set(y)) < 2:
        return figure(None)
    value = metrics.roc_auc_score(y, p)
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        file.write("y,p\n")
        for a, b in zip(y.tolist(), p.tolist()):
            file.write(f"{int(a)},{b!r}\n")
        file.flush()
        area, low, high = r("auc", file.name)
    assert abs(area - value) < 1e-9
    return figure(value, low, high)


def tenths(p):
    """The tenth of each row, in which the middle one of all rows with its score is."""
    return np.floor(10 * (stats.rankdata(p) - 0.5) / len(p)).astype(int)


def of_class(y, p, predicted, index):
    y, own = (y == index).astype(int), p[:, index]
    n, found = len(y), max(1, y.sum())
    area = auc(y, own)
    bins = tenths(own)
    calibration, error = [], 0
    for b in np.unique(bins):
        rows = bins == b
        count = int(rows.sum())
        interval = share(y[rows].sum(), count)
        calibration.append([count, own[rows].mean(), interval["value"], interval["low"], interval["high"]])
        error += abs(own[rows].mean() - y[rows].mean()) * count / n
    if len(np.unique(own)) == n and n % 10 == 0 and n < 100_000:
        actual, expected = calibration_curve(y, own, n_bins=10, strategy="quantile")
        assert np.allclose([c[1] for c in calibration], expected) and np.allclose([c[2] for c in calibration], actual)
    one_class = len(set(y)) < 2
    ks = None if one_class else stats.ks_2samp(own[y == 1], own[y == 0], method="asymp").statistic
    gains = []
    if y.sum() > 0:
        order = np.argsort(-own, kind="stable")
        ends = np.r_[np.flatnonzero(np.diff(own[order])), n - 1]
        curve = np.interp(np.arange(1, 11) * n / 10, np.r_[0, ends + 1], np.r_[0, np.cumsum(y[order])[ends]])
        captured = curve / found
        gains = [[c, 10 * (c - b), c / (t / 10)] for t, b, c in zip(range(1, 11), np.r_[0, captured], captured)]
    label = (predicted == index).astype(int)
    return {
        "figures": {
            "auc": area,
            "gini": figure(*(None if x is None else max(-1, 2 * x - 1) for x in area.values())),
            "ks": figure(ks),
            "precision": share((label * y).sum(), label.sum()),
            "recall": share((label * y).sum(), y.sum()),
            "base_rate": share(y.sum(), n),
            "mean_prediction": figure(own.mean()),
            "calibration_error": figure(error),
        },
        "calibration": calibration,
        "gains": gains,
    }


def of_classes(y, p):
    n, k = p.shape
    predicted = p.argmax(axis=1)
    scored = [1] if k == 2 else range(k)
    by_class = [of_class(y, p, predicted, index) for index in scored]
    losses = -np.log(np.maximum(1e-7, p[np.arange(n), y]))
    squares = ((p - np.eye(k)[y]) ** 2)[:, scored].sum(axis=1)
    if np.allclose(p.sum(axis=1), 1):
        clipped = np.maximum(p, 1e-7)
        expected = metrics.log_loss(y, clipped / clipped.sum(axis=1, keepdims=True), labels=range(k))
        assert abs(losses.mean() - expected) < 2e-6
        assert abs(squares.mean() - metrics.brier_score_loss(y, p, labels=range(k))) < 1e-12
    figures = {"log_loss": mean(losses), "brier": mean(squares), "accuracy": share((predicted == y).sum(), n)}
    assert abs(metrics.accuracy_score(y, predicted) - figures["accuracy"]["value"]) < 1e-12
    if k > 2:
        for name in ["auc", "calibration_error"]:
            values = [c["figures"][name]["value"] for c in by_class]
            figures[name] = figure(np.mean([v for v in values if v is not None]))
    else:
        figures.update(by_class[0]["figures"])
    confusion = metrics.confusion_matrix(y, predicted, labels=range(k)).tolist()
    return {"figures": figures, "by_class": by_class, "confusion": confusion}


def of_numbers(y, p):
    n = len(y)
    squares = mean((p - y) ** 2)
    absolute = np.sort(np.abs(p - y))
    half = Z * np.sqrt(n) / 2
    low, high = int(np.floor(n / 2 - half)), int(np.ceil(n / 2 + half)) + 1
    inside = low >= 1 and high <= n
    deciles = []
    bins = tenths(p)
    for b in np.unique(bins):
        e = (p - y)[bins == b]
        bias = mean(e)
        deciles.append([len(e), p[bins == b].mean(), y[bins == b].mean(), *bias.values(), np.abs(e).mean(), np.sqrt((e**2).mean())])
    assert abs(squares["value"] - metrics.mean_squared_error(y, p)) <= 1e-9 * max(1, squares["value"])
    return {
        "figures": {
            "rmse": figure(*(None if x is None else np.sqrt(max(0, x)) for x in squares.values())),
            "mae": mean(np.abs(p - y)),
            "r2": figure(None if len(set(y)) < 2 else metrics.r2_score(y, p)),
            "bias": mean(p - y),
            "median_error": figure(metrics.median_absolute_error(y, p), *([absolute[low - 1], absolute[high - 1]] if inside else [])),
            "mean_actual": mean(y),
            "mean_prediction": figure(p.mean()),
        },
        "deciles": deciles,
    }


def two(p, y):
    return y.astype(int), np.stack([1 - p, p], axis=1)


def sets():
    """The same data sets as in data-sets.ts."""
    def u(n, *seeds):
        return [uniform(seed, n) for seed in seeds]

    a, b, c = u(1000, 1, 2, 3)
    yield "spread", two(a * b, c < a * b)
    a, b = u(2000, 4, 5)
    yield "ties", two(np.floor(10 * a) / 10, b < np.floor(10 * a) / 10)
    (a,) = u(500, 6)
    yield "constant", two(np.full(500, 0.3), a < 0.35)
    (a,) = u(300, 7)
    yield "one class", two(a, a < 0)
    (a,) = u(60, 8)
    yield "perfect", two(a, a >= 0.5)
    a, b = u(20_000, 9, 10)
    yield "rare", two(0.05 * a * a * a, b < 0.05 * a * a * a)
    a, b = u(3000, 11, 12)
    p = np.minimum(1, np.maximum(0, 1.6 * a - 0.3))
    yield "certain", two(p, b < 0.8 - 0.6 * p)
    (a,) = u(1, 13)
    yield "one row", two(a, a < 1)
    yield "three classes", several(3, 5000, 20, True)
    yield "not normalised", several(3, 5000, 30, False)
    yield "20 classes", several(20, 8000, 50, True)
    a, b, c = u(2_000_000, 14, 15, 16)
    yield "2,000,000 rows", two(a * b, c < a * b)


def several(k, n, seed, normal):
    w = [uniform(seed + i, n) for i in range(k)]
    total = np.zeros(n)
    for each in w:
        total = total + each
    p = np.stack([each / total if normal else each for each in w], axis=1)
    a, b = uniform(seed + k, n), uniform(seed + k + 1, n)
    return np.where(a < 0.4, p.argmax(axis=1), np.floor(k * b).astype(int)), p


def number_sets():
    def u(n, *seeds):
        return [uniform(seed, n) for seed in seeds]

    a, b = u(5000, 80, 81)
    yield "numbers", (1000 * a * a + 40 * b - 20, 1000 * a * a)
    a, b = u(3000, 82, 83)
    yield "counts", (np.floor(20 * a * b), np.floor(8 * a))
    (a,) = u(400, 84)
    yield "constant actual number", (np.full(400, 7.0), 6 + 2 * a)
    yield "one number", (np.array([3.0]), np.array([2.5]))
    a, b = u(300_000, 85, 86)
    yield "300,000 numbers", (100 / (0.01 + a) - 500 * b, 100 / (0.01 + a) - 200)


def coverage(seed, n):
    """Labels that come for high predictions first."""
    a, b, c = (uniform(seed + i, n) for i in range(3))
    labelled = b < 0.3 + 0.3 * a * c
    table = np.array([[np.sum(labelled[tenths(a) == t]), np.sum(~labelled[tenths(a) == t])] for t in range(10)])
    return {"chi_squared": stats.chi2_contingency(table, correction=False).statistic, "labelled": table[:, 0].tolist()}


if __name__ == "__main__":
    found = {name: of_classes(y, p) for name, (y, p) in sets()}
    found |= {name: of_numbers(y, p) for name, (y, p) in number_sets()}
    found["coverage"] = coverage(90, 4000)
    text = json.dumps(found, default=float)
    rounded = json.loads(text, parse_float=lambda x: float(f"{float(x):.12g}"))
    json.dump(rounded, sys.stdout, separators=(",", ":"))
    print()
