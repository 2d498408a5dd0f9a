"""The cells of XGBoost."""

import json
import warnings

import numpy as np
import xgboost as xgb
from cells import GROUP, NUMBERS, pairs, with_cuts

warnings.simplefilter("ignore")
xgb.set_config(verbosity=0)

# By objective, its parameters and what it learns.
OBJECTIVES = {
    "binary:logistic": ({}, "two"), "binary:logitraw": ({}, "two"), "binary:hinge": ({}, "two"),
    "softprob-3": ({"objective": "multi:softprob", "num_class": 3}, "three"),
    "softprob-10": ({"objective": "multi:softprob", "num_class": 10}, "ten"),
    "softmax-3": ({"objective": "multi:softmax", "num_class": 3}, "three"),
    "reg:logistic": ({}, "share"), "reg:squarederror": ({}, "number"),
    "several": ({"objective": "reg:squarederror"}, "several"),
    "reg:squaredlogerror": ({}, "positive"), "reg:pseudohubererror": ({"min_child_weight": 0.01}, "share"), "reg:absoluteerror": ({}, "number"),
    "reg:quantileerror": ({"quantile_alpha": 0.3}, "number"), "reg:expectileerror": ({"expectile_alpha": 0.3}, "number"),
    "count:poisson": ({}, "count"), "reg:gamma": ({}, "positive"), "reg:tweedie": ({}, "count"),
    "survival:cox": ({}, "positive"), "survival:aft": ({}, "positive"),
    "rank:ndcg": ({}, "three"), "rank:pairwise": ({}, "three"), "rank:map": ({}, "two"),
}
BOOSTING = {
    "gbtree": {}, "dart": {"booster": "dart", "rate_drop": 0.3, "one_drop": 1},
    "forests": {"num_parallel_tree": 4, "subsample": 0.6, "colsample_bynode": 0.6},
    "rf": {"num_parallel_tree": 25, "subsample": 0.6, "colsample_bynode": 0.6, "eta": 1},
}
CATEGORIES = ["color", "plan", "district", "size"]


def allowed(cell):
    """What the library itself does not do."""
    return not (cell["method"] == "exact" and (cell["data"] != "numbers" or cell["objective"] == "several")) and not (
        cell["boosting"] == "rf" and cell["stop"] == "best"
    )


def frames(cells, data, is_single):
    extra = {"numbers": [], "pandas": CATEGORIES, "codes": ["code", "kind"]}[data]
    both = [frame[NUMBERS + extra].copy() for frame in (cells.training[0], cells.later)]
    if is_single:
        both = [frame.astype({name: np.float32 for name in NUMBERS}) for frame in both]
    return *both, extra


def cuts_of(booster, names):
    """The conditions of a model's nodes, by column."""
    cuts = {}
    for tree in json.loads(booster.save_raw("json"))["learner"]["gradient_booster"]["model"]["trees"]:
        for left, feature, value in zip(tree["left_children"], tree["split_indices"], tree["split_conditions"]):
            if left != -1 and value is not None:
                cuts.setdefault(names[feature], []).append(value)
    return cuts


def with_unseen(rows, data):
    """Rows as the library gets them, in which a category that it does not know is missing, and as the file has them."""
    written = rows.copy()
    if data == "pandas":
        unseen = np.arange(len(rows)) % 50 == 3
        rows.loc[unseen, "plan"] = None
        written["plan"] = written["plan"].cat.add_categories(["unseen"])
        written.loc[unseen, "plan"] = "unseen"
    return rows, written


def make(cells, cell):
    params, label = OBJECTIVES[cell["objective"]]
    training, later, extra = frames(cells, cell["data"], cell["input"] == "single")
    names = list(training)
    label = cells.labels[label]
    params = {
        "nthread": 1, "seed": 7, "max_depth": int(cell["depth"]), "eta": 0.2, "objective": cell["objective"], **params,
        **BOOSTING[cell["boosting"]], "tree_method": cell["method"],
    }
    if cell["method"] == "exact":
        params.pop("colsample_bynode", None)
    rounds = 1 if cell["boosting"] == "rf" else 6 if "num_class" in params or cell["boosting"] == "forests" else 20

    def matrix(frame, **about):
        if cell["data"] != "codes":
            return xgb.DMatrix(frame, enable_categorical=True, **about)
        types = ["c" if name in extra else "q" for name in names]
        return xgb.DMatrix(frame.to_numpy(dtype=float), feature_types=types, enable_categorical=True, **about)

    def labelled(start, end):
        part = label[start:end]
        if cell["objective"] == "survival:aft":
            return matrix(training[start:end], label_lower_bound=part, label_upper_bound=part * 1.5)
        about = {"qid": np.arange(end - start) // GROUP} if "rank" in cell["objective"] else {}
        return matrix(training[start:end], label=part, **about)

    def run(path):
        more = {}
        if cell["stop"] == "best":
            more = {"evals": [(labelled(3000, 4000), "later")], "early_stopping_rounds": 3, "verbose_eval": False}
        model = xgb.train(params, labelled(0, 3000), rounds, **more)
        file = f"{path}.{cell['format']}"
        model.save_model(file)
        # The library stops with an error at an infinity.
        rows = with_cuts(later, NUMBERS, cuts_of(model, names), 5, infinite=False).astype(later.dtypes)
        rows, written = with_unseen(rows, cell["data"])
        options, which = {}, {}
        if cell["stop"] == "best":
            options["iterations"] = "best"
            which = {"iteration_range": (0, model.best_iteration + 1)}
        if cell["data"] == "codes":
            options["features"] = names
            options["categories"] = {name: [str(i) for i in range({"code": 40, "kind": 4}[name])] for name in extra}
        data = matrix(rows)
        raw = model.predict(data, output_margin=True, **which)
        kind = {}
        if "num_class" in params:
            options["classes"] = [f"class {i}" for i in range(params["num_class"])]
            model.set_param({"objective": "multi:softprob"})
            kind["probabilities"] = model.predict(data, **which)
        else:
            predicted = model.predict(data, **which)
            kind["predictions"] = predicted
            if cell["objective"] in ("binary:logistic", "binary:hinge"):
                options["classes"] = ["no", "yes"]
                kind = {"probabilities": np.c_[np.float32(1) - predicted, predicted]}
        return cells.write(path, file, written, raw, **kind, **options)

    return run


def estimators(cells):
    """The classes in the style of scikit-learn, which predict with the trees up to the best iteration."""
    training, later = cells.training[0][NUMBERS + CATEGORIES], cells.later[NUMBERS + CATEGORIES]

    def stopped(kind, label, classes, **params):
        def run(path):
            model = kind(n_estimators=80, learning_rate=0.6, max_depth=5, early_stopping_rounds=3, n_jobs=1,
                         enable_categorical=True, **params)
            part = lambda start, end: (training[start:end], cells.labels[label][start:end])
            model.fit(*part(0, 3000), eval_set=[part(3000, 4000)], verbose=False)
            model.save_model(path + ".ubj")
            raw = model.predict(later, output_margin=True)
            if classes is None:
                return cells.write(path, path + ".ubj", later, raw, predictions=model.predict(later))
            return cells.write(path, path + ".ubj", later, raw, model.predict_proba(later), classes=classes)

        return run

    three = ["class 0", "class 1", "class 2"]
    cells.cell("XGBClassifier stopped", stopped(xgb.XGBClassifier, "two", ["no", "yes"]))
    cells.cell("XGBClassifier 3 stopped", stopped(xgb.XGBClassifier, "three", three))
    cells.cell("XGBClassifier dart stopped", stopped(xgb.XGBClassifier, "three", three, booster="dart", rate_drop=0.2))
    cells.cell("XGBRegressor stopped", stopped(xgb.XGBRegressor, "number", None))
    cells.cell("XGBRegressor gamma stopped", stopped(xgb.XGBRegressor, "positive", None, objective="reg:gamma"))


def refusals(cells):
    training, later = cells.training[0][NUMBERS].fillna(0), cells.later[NUMBERS].fillna(0)

    def refused(params, label):
        def run(path):
            model = xgb.train({"nthread": 1, **params}, xgb.DMatrix(training, cells.labels[label]), 3)
            model.save_model(path + ".json")
            raw = model.predict(xgb.DMatrix(later), output_margin=True)
            return cells.write(path, path + ".json", later, raw)

        return run

    cells.cell("gblinear", refused({"booster": "gblinear"}, "number"), refused=True)
    cells.cell("vector leaves", refused({"multi_strategy": "multi_output_tree"}, "several"), refused=True)
    cells.cell("several alphas", refused({"objective": "reg:quantileerror", "quantile_alpha": [0.2, 0.8]}, "number"), refused=True)


def run(cells):
    factors = {
        "objective": list(OBJECTIVES), "data": ["numbers", "pandas", "codes"], "boosting": list(BOOSTING),
        "method": ["hist", "approx", "exact"], "input": ["double", "single"], "stop": ["all", "best"],
        "depth": ["6", "12"], "format": ["json", "ubj"],
    }
    for cell in pairs(factors, allowed):
        cells.cell(" ".join(cell.values()), make(cells, cell))
    estimators(cells)
    refusals(cells)
