"""Trains the small models of XGBoost that the tests beside this file read, with the scores that the library gives.

    python make-xgboost-files.py FOLDER

It was run once with each of these versions, in Python 3.11:

    pip install numpy==1.26.4 pandas==2.2.3 scipy==1.13.1 scikit-learn==1.5.2
    pip install --no-deps --ignore-requires-python xgboost==1.7.6   # and 2.1.4, 3.0.5, 3.1.2, 3.4.1

For each model there is the file of the library and NAME.expected.json: rows, and by row the raw scores of
Booster.predict(output_margin=True), as the shortest text of a float32.
"""

import json
import os
import sys

import numpy as np
import pandas as pd
import xgboost as xgb

COLORS = ["blue", "green", "grün", "red", "yellow"]
PLANS = [f"plan {i}" for i in range(12)]


def table(rows, seed):
    """Four numbers with missing values, a whole number, and two categories with missing values."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame({f"n{i}": random.normal(0, 10.0 ** (i - 1), rows) for i in range(4)})
    frame = frame.mask(random.random(frame.shape) < 0.08)
    frame["whole"] = random.integers(0, 20, rows)
    for name, levels in (("color", COLORS), ("plan", PLANS)):
        codes = random.integers(-1, len(levels), rows)
        frame[name] = pd.Categorical.from_codes(codes, levels)
    signal = (
        frame["n0"].fillna(0.7) * 4
        + frame["n1"].fillna(-1)
        + frame["color"].cat.codes % 3
        + frame["plan"].cat.codes % 4
        + frame["whole"] / 7
        + random.normal(0, 1, rows)
    )
    return frame, signal.to_numpy()


def scores(booster, frame, **options):
    """Raw scores by row, as numbers whose text is the shortest of a float32."""
    matrix = xgb.DMatrix(frame, enable_categorical=True)
    raw = booster.predict(matrix, output_margin=True, **options)
    raw = np.asarray(raw, dtype=np.float32).reshape(len(frame), -1)
    return [[float(str(score)) for score in row] for row in raw]


def cells(frame):
    """Rows for JSON: null for a missing value, a text for a category, a double for a number."""
    columns = []
    for name in frame:
        column = frame[name]
        if isinstance(column.dtype, pd.CategoricalDtype):
            columns.append([None if pd.isna(v) else str(v) for v in column])
        else:
            columns.append([None if pd.isna(v) else float(v) for v in column])
    return [list(row) for row in zip(*columns)]


def write(folder, name, booster, frame, raw, save=None, extension="json", **more):
    (save or booster.save_model)(os.path.join(folder, f"{name}.{extension}"))
    expected = {"file": f"{name}.{extension}", "columns": list(frame.columns), **more, "rows": cells(frame), "raw": raw}
    with open(os.path.join(folder, f"{name}.expected.json"), "w") as file:
        json.dump(expected, file, ensure_ascii=False, separators=(",", ":"))


def main(folder):
    version = ".".join(xgb.__version__.split(".")[:2])
    frame, signal = table(600, 1)
    later, _ = table(40, 2)
    levels = {"color": COLORS, "plan": PLANS}
    both = {"nthread": 1, "tree_method": "hist", "max_depth": 3, "seed": 7}

    yes = (signal > np.median(signal) + 0.5).astype(int)
    labelled = xgb.DMatrix(frame, yes, enable_categorical=True)
    for extension in ("json", "ubj"):
        booster = xgb.train({**both, "objective": "binary:logistic", "max_cat_to_onehot": 4}, labelled, 6)
        name = f"xgboost-{version}-binary-{extension}"
        write(folder, name, booster, later, scores(booster, later), extension=extension, levels=levels)

    numbers = frame.iloc[:, :5]
    three = np.digitize(signal, np.quantile(signal, [0.3, 0.7]))
    dart = {**both, "booster": "dart", "rate_drop": 0.4, "one_drop": 1, "objective": "multi:softprob", "num_class": 3}
    booster = xgb.train({**dart, "max_depth": 2}, xgb.DMatrix(numbers, three), 5)
    name = f"xgboost-{version}-dart"
    write(folder, name, booster, later.iloc[:, :5], scores(booster, later.iloc[:, :5]), extension="ubj")

    stopped = xgb.XGBClassifier(n_estimators=40, learning_rate=0.9, max_depth=2, early_stopping_rounds=3, n_jobs=1)
    stopped.fit(numbers[:300], yes[:300], eval_set=[(numbers[300:], yes[300:])], verbose=False)
    best = stopped.best_iteration + 1
    raw = scores(stopped.get_booster(), later.iloc[:, :5], iteration_range=(0, best))
    name = f"xgboost-{version}-stopped"
    write(folder, name, stopped, later.iloc[:, :5], raw, extension="ubj", best=best)

    forest = {**both, "objective": "reg:gamma", "num_parallel_tree": 3, "subsample": 0.7, "base_score": 2.3}
    booster = xgb.train(forest, xgb.DMatrix(numbers.to_numpy(), np.exp(signal / 9)), 2)
    name = f"xgboost-{version}-gamma"
    matrix = later.iloc[:, :5]
    raw = np.asarray(booster.predict(xgb.DMatrix(matrix.to_numpy()), output_margin=True))
    write(folder, name, booster, matrix, [[float(str(score))] for score in raw])


if __name__ == "__main__":
    main(sys.argv[1])
