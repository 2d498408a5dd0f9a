"""What the tables of the three libraries share: rows, cells that cover all pairs of settings, and the files of a cell."""

import itertools
import json
import os
import random

import numpy as np
import pandas as pd

TRAINING_ROWS = 4000
GROUP = 20  # rows of a query, for rankings
COLORS = ["blue", "green", "grün", "red", "a, b"]
PLANS = [f"plan {i}" for i in range(40)]
DISTRICTS = [10000, 10003, 20017]
SIZES = ["small", "medium", "large", "huge"]
NUMBERS = [f"n {i}" for i in range(5)] + ["whole", "zeros", "single"]


def pairs(factors, allowed):
    """Settings in which each pair of values of two factors occurs at least once, as far as `allowed` permits it."""
    choice = random.Random(43)
    names = list(factors)
    of = lambda row: {((a, row[a]), (b, row[b])) for a, b in itertools.combinations(names, 2)}
    left = {
        ((a, x), (b, y)) for a, b in itertools.combinations(names, 2) for x in factors[a] for y in factors[b]
    }
    rows = []
    while left:
        wanted = min(left)
        best, gain = None, 0
        for _ in range(300):
            row = {**{name: choice.choice(factors[name]) for name in names}, **dict(wanted)}
            if allowed(row) and len(of(row) & left) > gain:
                best, gain = row, len(of(row) & left)
        left.discard(wanted)  # also if nothing is allowed that has it
        if best is not None:
            rows.append(best)
            left -= of(best)
    return rows


def table(rows, seed):
    """All columns that a cell may use: numbers with missing values, texts, codes; and a number that depends on them."""
    draw = np.random.default_rng(seed)
    frame = pd.DataFrame({f"n {i}": draw.normal(0, 10.0 ** (i - 1), rows) for i in range(5)})
    frame = frame.mask(draw.random(frame.shape) < 0.08)
    frame["whole"] = draw.integers(0, 20, rows).astype(float)
    frame["zeros"] = np.where(draw.random(rows) < 0.4, 0, draw.normal(0, 1, rows))
    frame["single"] = draw.normal(0, 1, rows).astype(np.float32).astype(float)
    for name, levels in (("color", COLORS), ("plan", PLANS), ("district", DISTRICTS), ("size", SIZES)):
        frame[name] = pd.Categorical.from_codes(draw.integers(-1, len(levels), rows), levels, ordered=name == "size")
    frame["code"] = draw.integers(0, 40, rows)
    frame["kind"] = draw.integers(0, 4, rows)
    signal = (
        frame["n 0"].fillna(0.7) * 4 + frame["n 1"].fillna(-1) + frame["whole"] / 7 + (frame["zeros"] == 0)
        + frame["color"].cat.codes % 3 + frame["plan"].cat.codes % 4 + frame["code"] % 3 + (frame["kind"] == 2)
        + frame["size"].cat.codes / 2 + draw.normal(0, 1, rows)
    )
    return frame, signal.to_numpy()


def labels(signal):
    """What objectives of all kinds can learn from a number."""
    steps = lambda n: np.digitize(signal, np.quantile(signal, np.arange(1, n) / n))
    positive = np.exp((signal - signal.mean()) / signal.std() / 2)
    return {
        "number": signal, "two": (signal > np.median(signal) + 0.4).astype(int), "three": steps(3), "ten": steps(10),
        "share": 1 / (1 + np.exp(-(signal - signal.mean()) / signal.std())), "positive": positive,
        "count": np.floor(positive * 3), "several": np.c_[signal, positive],
    }


def with_cuts(frame, columns, cuts, seed, infinite=True):
    """Puts values at and beside the cuts of a model into a tenth of the cells, and others at which readers differ."""
    draw = np.random.default_rng(seed)
    odd = [0.0, -0.0, 5e-324, 1e-35, -1e-35, 1.0000000180025095e-35, 1.1e-35, 1e-30, 3e38, -3e38]
    odd += [np.inf, -np.inf, 1e300, -1e300] if infinite else []
    frame = frame.copy()
    for column in columns:
        at = np.asarray(cuts.get(column, []), dtype=float)
        at = at[np.isfinite(at) & (np.abs(at) < 1e38)]
        values = frame[column].to_numpy(dtype=float).copy()
        chosen = np.flatnonzero(draw.random(len(values)) < 0.1)
        if at.size > 0:
            near = draw.choice(at, len(chosen))
            float32 = near.astype(np.float32)
            beside = [near, np.nextafter(near, -np.inf), np.nextafter(near, np.inf), float32.astype(float)]
            beside += [np.nextafter(float32, np.float32(s * np.inf)).astype(float) for s in (-1, 1)]
            beside += [(beside[3] + beside[4]) / 2, (beside[3] + beside[5]) / 2]
            values[chosen] = np.choose(draw.integers(0, len(beside), len(chosen)), beside)
        few = draw.random(len(values)) < 0.005
        values[few] = draw.choice(odd, few.sum())
        frame[column] = values
    return frame


def text_of(value):
    return "" if value is None or value != value else str(value)


def quoted(text):
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ',"\n') else text


class Cells:
    """Writes the files of cells into a folder, and a line of JSON about each to the standard output."""

    def __init__(self, folder, library, rows, chosen):
        self.folder, self.library, self.rows, self.chosen = folder, library, rows, chosen
        self.training, self.later = table(TRAINING_ROWS, 1), table(rows, 2)[0]
        self.labels = labels(self.training[1])

    def cell(self, name, make, **about):
        """
        Trains a model, unless its name is not chosen. `make` gets the path of its file without an ending, and returns
        what `write` takes. `refused` says that the model may be refused.
        """
        name = f"{self.library} {name}"
        if not all(word in name for word in self.chosen):
            return
        path = os.path.join(self.folder, name.replace(" ", "-").replace(":", "-"))
        try:
            line = {**about, **make(path)}
        except Exception as error:
            line = {"failed": f"{type(error).__name__}: {str(error).strip()}"[:300]}
        print(json.dumps({"name": name, **line}), flush=True)

    def write(self, path, model, rows, raw=None, probabilities=None, predictions=None, **options):
        """
        Writes a CSV of rows with the scores and the predictions of the library, one number or several for each row.
        Numbers have the shortest text of a double, or of a float32 if the column is one.
        """
        columns = {name: rows[name] for name in rows}
        classes = options.get("classes")
        for kind, values in (("raw_score", raw), ("probability", probabilities), ("prediction", predictions)):
            if values is None:
                continue
            values = np.asarray(values).reshape(len(rows), -1)
            count = values.shape[1]
            for i in range(count):
                end = classes[i] if kind == "probability" else i
                columns[kind if count == 1 and kind != "probability" else f"{kind}_{end}"] = values[:, i]
        texts = []
        for values in columns.values():
            values = np.asarray(values, dtype=object if hasattr(values, "cat") else None)
            texts.append([text_of(v) for v in (values.tolist() if values.dtype != np.float32 else values)])
        with open(path + ".csv", "w", encoding="utf-8") as file:
            for row in itertools.chain([list(columns)], zip(*texts)):
                file.write(",".join(map(quoted, row)) + "\n")
        scores = 0 if raw is None else np.asarray(raw).size
        return {"model": model, "expected": path + ".csv", "options": options, "rows": len(rows), "scores": scores}
