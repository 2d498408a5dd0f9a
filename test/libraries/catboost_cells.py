"""The cells of CatBoost."""

import json

import catboost
import numpy as np
from cells import GROUP, NUMBERS, pairs, with_cuts

QUIET = {"thread_count": 1, "random_seed": 7, "verbose": 0, "allow_writing_files": False, "one_hot_max_size": 60}

# By loss, what it learns, and the names of the classes, if it has any.
CLASSES = {2: ["no", "yes"], 3: ["0", "1", "2"], 10: [str(i) for i in range(10)]}
LOSSES = {
    "Logloss": ("two", 2), "CrossEntropy": ("share", 2), "MultiClass": ("three", 3), "MultiClass-10": ("ten", 10),
    "MultiClassOneVsAll": ("three", 3), "MultiClassOneVsAll-10": ("ten", 10), "RMSE": ("number", 0),
    "MAE": ("number", 0), "Quantile:alpha=0.3": ("number", 0), "MAPE": ("positive", 0), "Huber:delta=1": ("number", 0),
    "Expectile:alpha=0.3": ("number", 0), "Lq:q=1.5": ("number", 0), "LogCosh": ("number", 0), "Poisson": ("count", 0),
    "Tweedie:variance_power=1.5": ("count", 0), "MultiRMSE": ("several", 0), "MultiQuantile:alpha=0.1,0.9": ("number", 0),
    "YetiRank": ("three", 0), "YetiRankPairwise": ("three", 0), "PairLogit": ("three", 0), "PairLogitPairwise": ("three", 0),
    "QueryRMSE": ("three", 0), "QuerySoftMax": ("share", 0), "StochasticRank:metric=NDCG": ("share", 0),
}
RANKING = ("YetiRank", "PairLogit", "Query", "StochasticRank")
PAIRWISE = ("YetiRankPairwise", "PairLogitPairwise")
TEXTS = ["color", "plan"]


def allowed(cell):
    """What the library itself does not do."""
    is_symmetric = cell["trees"] == "SymmetricTree"
    needs_symmetric = cell["loss"] in PAIRWISE or cell["loss"].startswith(("Multi", "StochasticRank"))
    return (is_symmetric or not needs_symmetric) and not (cell["loss"] in PAIRWISE and cell["data"] != "numbers")


def cuts_of(file, names):
    """The borders of a model's file, by column."""
    with open(file, encoding="utf-8") as text:
        features = json.load(text)["features_info"].get("float_features", [])
    return {names[each["flat_feature_index"]]: each["borders"] or [] for each in features}


def make(cells, cell):
    label, count = LOSSES[cell["loss"]]
    label = cells.labels[label]
    if cell["loss"] == "Logloss":
        label = np.array(CLASSES[2])[label]
    extra = {"numbers": [], "texts": TEXTS, "codes": ["code", "kind"]}[cell["data"]]
    number = np.float32 if cell["input"] == "single" else np.float64
    training, later = (
        frame[NUMBERS + extra].astype({name: number for name in NUMBERS}) for frame in (cells.training[0], cells.later)
    )
    if cell["data"] == "texts":
        for frame in (training, later):
            frame[TEXTS] = frame[TEXTS].astype(object).where(frame[TEXTS].notna(), "no text")
        later.loc[np.arange(len(later)) % 50 == 3, "plan"] = "unseen"
    elif cell["data"] == "codes":
        later.loc[np.arange(len(later)) % 50 == 3, "code"] = 77
    if cell["missing"] == "none":
        training[NUMBERS] = training[NUMBERS].fillna(0)
    params = {**QUIET, "loss_function": cell["loss"].removesuffix("-10"), "depth": int(cell["depth"]),
              "grow_policy": cell["trees"]}
    params["iterations"] = 4 if count > 2 and cell["depth"] == "12" else 8 if cell["depth"] == "12" else 25
    if cell["loss"] in PAIRWISE:
        params["depth"] = min(params["depth"], 8)  # its limit
    if cell["missing"] != "none":
        params["nan_mode"] = cell["missing"]
    if cell["stop"] == "best":
        params.update(early_stopping_rounds=3, use_best_model=True, learning_rate=0.4)
    is_rank = cell["loss"].startswith(RANKING)

    def pool(start, end):
        about = {"group_id": np.arange(end - start) // GROUP} if is_rank else {}
        return catboost.Pool(training[start:end], label[start:end], cat_features=extra, **about)

    def run(path):
        train = pool(0, 3000)
        more = {"eval_set": pool(3000, 4000)} if cell["stop"] == "best" else {}
        model = (catboost.CatBoostClassifier(**params) if count else catboost.CatBoost(params)).fit(train, **more)
        file = path + ".json"
        model.save_model(file, format="json", **({"pool": train} if cell["saved"] == "with-pool" else {}))
        rows = with_cuts(later, NUMBERS, cuts_of(file, list(later)), 5).astype(later.dtypes)
        options = {}
        if extra and cell["saved"] == "alone":
            options["categories"] = {name: sorted(set(map(str, training[name]))) for name in extra}
        raw = model.predict(rows, prediction_type="RawFormulaVal", thread_count=1)
        if not count:
            form = "Exponent" if cell["loss"].startswith(("Poisson", "Tweedie")) else "RawFormulaVal"
            predicted = {"predictions": model.predict(rows, prediction_type=form, thread_count=1)}
        else:
            options["classes"] = CLASSES[count]
            # Classes with a probability of their own are numbers.
            name = "predictions" if cell["loss"].startswith("MultiClassOneVsAll") else "probabilities"
            predicted = {name: model.predict_proba(rows, thread_count=1)}
        return cells.write(path, file, rows, raw, **predicted, **options)

    return run


def refusals(cells):
    training, later = cells.training[0][NUMBERS + TEXTS].copy(), cells.later[NUMBERS + TEXTS].copy()
    for frame in (training, later):
        frame[TEXTS] = frame[TEXTS].astype(object).where(frame[TEXTS].notna(), "no text")

    def refused(label, columns, **params):
        def run(path):
            about = {**QUIET, "iterations": 5, **params}
            model = catboost.CatBoost(about).fit(training[columns], cells.labels[label])
            model.save_model(path + ".json", format="json")
            raw = model.predict(later[columns], prediction_type="RawFormulaVal")
            return cells.write(path, path + ".json", later[columns], raw)

        return run

    counters = {"loss_function": "Logloss", "one_hot_max_size": 2, "cat_features": TEXTS}
    cells.cell("counters", refused("two", NUMBERS + TEXTS, **counters), refused=True)
    for loss, label in (("Cox", "positive"), ("LogLinQuantile", "positive"), ("RMSEWithUncertainty", "number")):
        cells.cell(loss, refused(label, NUMBERS, loss_function=loss), refused=True)
    focal = "Focal:focal_alpha=0.5;focal_gamma=2.0"
    cells.cell("Focal", refused("two", NUMBERS, loss_function=focal), refused=True)


def run(cells):
    factors = {
        "loss": list(LOSSES), "data": ["numbers", "texts", "codes"], "trees": ["SymmetricTree", "Lossguide", "Depthwise"],
        "missing": ["Min", "Max", "none"], "input": ["double", "single"], "stop": ["all", "best"], "depth": ["6", "12"],
        "saved": ["alone", "with-pool"],
    }
    for cell in pairs(factors, allowed):
        cells.cell(" ".join(cell.values()), make(cells, cell))
    refusals(cells)
