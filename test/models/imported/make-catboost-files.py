"""Trains the small models of CatBoost that the tests beside this file read, with the scores that the library gives.

    pip install numpy==1.26.4 pandas==2.2.3 scipy==1.13.1 catboost==1.2.10   # in Python 3.11
    python make-catboost-files.py FOLDER

For each model there is the file of the library and NAME.expected.json: rows, and by row the raw scores of
predict(prediction_type="RawFormulaVal") as doubles.
"""

import json
import os
import sys

import catboost as cb
import numpy as np
import pandas as pd

COLORS = ["blue", "green", "grün", "red", "yellow"]
PLANS = [f"a plan with a name of many letters, number {i}, " + "and more " * i for i in range(5)] + ["", "p", "eight888"]
COMMON = {"thread_count": 1, "random_seed": 7, "verbose": 0, "allow_writing_files": False}


def table(rows, seed, unseen=False):
    """Four numbers with missing values, a whole number, and two categories, as texts."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame({f"n{i}": random.normal(0, 10.0 ** (i - 1), rows) for i in range(4)})
    frame = frame.mask(random.random(frame.shape) < 0.08)
    frame["whole"] = random.integers(0, 20, rows)
    for name, levels in (("color", COLORS), ("plan", PLANS)):
        frame[name] = random.choice(levels + (["unseen"] if unseen else []), rows)
    signal = (
        frame["n0"].fillna(0.7) * 4
        + frame["n1"].fillna(-1)
        + frame["color"].str.len() % 3
        + frame["plan"].str.len() % 4
        + frame["whole"] / 7
        + random.normal(0, 1, rows)
    )
    return frame, signal.to_numpy()


def write(folder, name, model, frame, pool=None):
    model.save_model(os.path.join(folder, f"{name}.json"), format="json", pool=pool)
    raw = np.asarray(model.predict(frame, prediction_type="RawFormulaVal", thread_count=1)).reshape(len(frame), -1)
    rows = [[None if isinstance(v, float) and np.isnan(v) else v for v in row] for row in frame.astype(object).values]
    expected = {"file": f"{name}.json", "columns": list(frame.columns), "rows": rows, "raw": raw.tolist()}
    with open(os.path.join(folder, f"{name}.expected.json"), "w") as file:
        json.dump(expected, file, ensure_ascii=False, separators=(",", ":"), default=int)


def main(folder):
    version = ".".join(cb.__version__.split(".")[:2])
    frame, signal = table(500, 1)
    later, _ = table(30, 2, unseen=True)
    numbers, later_numbers = frame.iloc[:, :5], later.iloc[:, :5]
    yes = np.where(signal > np.median(signal) + 0.5, "yes", "no")
    texts = ["color", "plan"]

    one_hot = {**COMMON, "one_hot_max_size": 20, "cat_features": texts, "depth": 3, "iterations": 8}
    model = cb.CatBoostClassifier(**one_hot).fit(frame, yes)
    write(folder, f"catboost-{version}-categories", model, later)
    pool = cb.Pool(frame, yes, cat_features=texts)
    write(folder, f"catboost-{version}-listed", model, later, pool)

    model = cb.CatBoostRegressor(**COMMON, depth=4, iterations=8, nan_mode="Max").fit(numbers, signal)
    write(folder, f"catboost-{version}-numbers", model, later_numbers)

    three = np.digitize(signal, np.quantile(signal, [0.3, 0.7]))
    leaves = {"grow_policy": "Lossguide", "max_leaves": 6, "iterations": 4, "loss_function": "MultiClass"}
    model = cb.CatBoostClassifier(**COMMON, **leaves).fit(numbers, three)
    write(folder, f"catboost-{version}-lossguide", model, later_numbers)

    counters = {**COMMON, "one_hot_max_size": 2, "cat_features": texts, "depth": 2, "iterations": 2}
    counters["max_ctr_complexity"] = 1
    model = cb.CatBoostClassifier(**counters).fit(frame[texts], yes)
    write(folder, f"catboost-{version}-counters", model, later[texts])


if __name__ == "__main__":
    main(sys.argv[1])
