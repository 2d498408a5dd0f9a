"""The cells of LightGBM."""

import re
import warnings

import lightgbm as lgb
import numpy as np
import pandas as pd
from cells import GROUP, NUMBERS, pairs, with_cuts

warnings.simplefilter("ignore")
lgb.register_logger(__import__("logging").getLogger("quiet"))
QUIET = {"verbose": -1, "num_threads": 1, "seed": 7, "min_data_in_leaf": 5, "min_data_per_group": 10, "deterministic": True}

# By objective, its parameters, what it learns, and whether it predicts classes.
OBJECTIVES = {
    "binary": ({}, "two"), "binary-sigmoid": ({"objective": "binary", "sigmoid": 0.37}, "two"),
    "multiclass-3": ({"objective": "multiclass", "num_class": 3}, "three"),
    "multiclass-10": ({"objective": "multiclass", "num_class": 10}, "ten"),
    "multiclassova-3": ({"objective": "multiclassova", "num_class": 3, "sigmoid": 1.3}, "three"),
    "multiclassova-10": ({"objective": "multiclassova", "num_class": 10}, "ten"),
    "cross_entropy": ({}, "share"), "cross_entropy_lambda": ({}, "share"),
    "regression": ({}, "number"), "regression-sqrt": ({"objective": "regression", "reg_sqrt": True}, "number"),
    "regression_l1": ({}, "number"), "huber": ({}, "number"), "fair": ({}, "number"), "quantile": ({"alpha": 0.8}, "number"),
    "mape": ({}, "positive"), "poisson": ({}, "count"), "gamma": ({}, "positive"), "tweedie": ({}, "count"),
    "lambdarank": ({}, "three"), "rank_xendcg": ({}, "three"), "custom": ({}, "number"),
}
MISSING = {"nan": {}, "zero": {"zero_as_missing": True}, "none": {"use_missing": False}}
BOOSTING = {
    "gbdt": {}, "dart": {"boosting": "dart", "drop_rate": 0.3},
    "rf": {"boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.6},
}
CATEGORIES = ["color", "plan", "district", "size"]


def allowed(cell):
    """What the library itself does not do."""
    is_rf = cell["boosting"] == "rf"
    return not (cell["stop"] == "best" and cell["boosting"] == "dart") and not (
        cell["objective"] == "custom" and (is_rf or cell["stop"] == "best")
    )


def cuts_of(text, names):
    """The thresholds of a model's file, by column."""
    cuts = {}
    for features, values in re.findall(r"^split_feature=(.*)\n(?:.*\n)*?threshold=(.*)$", text, re.M):
        for feature, value in zip(features.split(), values.split()):
            cuts.setdefault(names[int(feature)], []).append(float(value))
    return cuts


def frames(cells, data, is_single):
    """The rows to train with, those to predict, the columns of categories, and the rows as the file has them."""
    extra = {"numbers": [], "pandas": CATEGORIES, "codes": ["code", "kind"]}[data]
    training, later = (frame[NUMBERS + extra].copy() for frame in (cells.training[0], cells.later))
    if is_single:
        for frame in (training, later):
            frame[NUMBERS] = frame[NUMBERS].astype(np.float32)
    return training, later, extra


def make(cells, cell):
    params, label = OBJECTIVES[cell["objective"]]
    is_single = cell["input"] == "single"
    number = np.float32 if is_single else np.float64
    training, later, extra = frames(cells, cell["data"], is_single)
    names = list(training)
    as_array = lambda frame: frame.to_numpy(dtype=number) if cell["data"] == "codes" else frame
    categorical = {"categorical_feature": [names.index(name) for name in extra]} if cell["data"] == "codes" else {}
    label = cells.labels[label]
    rank = {"group": [GROUP]} if "rank" in cell["objective"] else {}
    objective = params.get("objective", cell["objective"])
    if objective == "custom":
        objective = lambda predicted, set: (predicted - set.get_label(), np.ones(len(predicted)))
    leaves = int(cell["leaves"])
    params = {**QUIET, "num_leaves": leaves, **params, **MISSING[cell["missing"]], **BOOSTING[cell["boosting"]],
              "objective": objective}
    rounds = 6 if "num_class" in params else 25
    part = lambda start, end: lgb.Dataset(as_array(training.iloc[start:end]), label[start:end], **categorical,
                                          **{k: v * ((end - start) // GROUP) for k, v in rank.items()})

    def run(path):
        more = {}
        train = part(0, 3000)
        if cell["stop"] == "best":
            more = {"valid_sets": [lgb.Dataset(as_array(training.iloc[3000:]), label[3000:], reference=train,
                                               **{k: v * (1000 // GROUP) for k, v in rank.items()})],
                    "callbacks": [lgb.early_stopping(4, verbose=False)]}
        model = lgb.train(params, train, rounds, **more)
        model.save_model(path + ".txt")
        saved = lgb.Booster(model_file=path + ".txt")
        with open(path + ".txt", encoding="utf-8") as file:
            cuts = cuts_of(file.read(), names)
        rows = with_cuts(later, NUMBERS, cuts, 5).astype({name: number for name in NUMBERS})
        # All digits of a double: the library makes doubles of float32s, too.
        written = rows.astype({name: float for name in NUMBERS})
        if cell["data"] == "pandas":
            unseen = np.arange(len(rows)) % 50 == 3
            rows.loc[unseen, "plan"] = None
            written["plan"] = written["plan"].cat.add_categories(["unseen"])
            written.loc[unseen, "plan"] = "unseen"
        elif cell["data"] == "codes":
            for name, value in (("code", 77), ("kind", -1)):
                rows.loc[np.arange(len(rows)) % 50 == 3, name] = value
                written[name] = rows[name]
        values = as_array(rows)
        raw, predicted = saved.predict(values, raw_score=True), saved.predict(values)
        options = {"features": names} if cell["data"] == "codes" else {}
        kind = {"predictions": predicted}
        if label.dtype.kind == "i" and not rank and cell["objective"] != "custom":
            count = params.get("num_class", 2)
            options["classes"] = ["no", "yes"] if count == 2 else [f"class {i}" for i in range(count)]
            shares = np.c_[1.0 - predicted, predicted] if count == 2 else predicted
            # Classes with a probability of their own are numbers.
            kind = {"predictions" if params["objective"] == "multiclassova" else "probabilities": shares}
        return cells.write(path, path + ".txt", written, raw, **kind, **options)

    return run


def refusals(cells):
    training, later = cells.training[0][NUMBERS].fillna(0), cells.later[NUMBERS].fillna(0)

    def linear(path):
        model = lgb.train({**QUIET, "linear_tree": True}, lgb.Dataset(training, cells.labels["number"]), 5)
        model.save_model(path + ".txt")
        return cells.write(path, path + ".txt", later, model.predict(later, raw_score=True))

    cells.cell("linear trees", linear, refused=True)


def run(cells):
    factors = {
        "objective": list(OBJECTIVES), "missing": list(MISSING), "data": ["numbers", "pandas", "codes"],
        "boosting": list(BOOSTING), "input": ["double", "single"], "stop": ["all", "best"], "leaves": ["31", "255"],
    }
    for cell in pairs(factors, allowed):
        cells.cell(" ".join(cell.values()), make(cells, cell))
    refusals(cells)
