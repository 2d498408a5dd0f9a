"""Data sets, their splits, and what scikit-learn's HistGradientBoosting makes of them.

For each line on stdin, one JSON object on stdout: a split with HGB's probabilities and seconds of CPU; or, as the last
one, a wide table as a file. Nothing is done between the two, so that the other process is measured alone.
"""
import csv, json, os, sys, time

os.environ["OMP_NUM_THREADS"] = "1"  # Waiting threads of OpenMP spin, which makes CPU time meaningless.
try:
    import numpy as np
    from sklearn import datasets
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.model_selection import train_test_split
    from sklearn.preprocessing import OrdinalEncoder
except ImportError as error:
    sys.exit(f"{sys.executable}: {error}")

SPLITS, TRAINING, TESTING = 3, 1500, 4000
SMALL, SMALL_SPLITS = 1000, 8  # Of few rows, a split's testing rows say little.
MAX_CATEGORIES = 255  # HGB takes no more; a column of more is learned from as ordered numbers.
random = np.random.RandomState(7)
telecom_file, wide_file, only = sys.argv[1:]


def synthetic():
    """Known trouble: the labels depend on few of ten columns."""
    n = TRAINING + TESTING
    x, noise = random.normal(size=(n, 10)), random.normal(size=n)
    surnames = np.array(["s%d" % s for s in random.randint(0, 700, size=n)])
    gaps = np.where(random.uniform(size=x.shape) < 0.3, np.nan, x)
    return {
        "rare categories (700 surnames)": (np.column_stack([surnames, texts(x[:, :3])]), x[:, 0] + noise > 0),
        "one bad cell": (texts(x), 2 * x[:, 0] + noise > 0),
        "interactions": (texts(x), (x[:, 0] > 0) ^ (x[:, 1] > 0.3) ^ (random.uniform(size=n) < 0.1)),
        "imbalance (4%)": (texts(x), x[:, 0] + x[:, 1] + noise > 3),
        "20 classes": (texts(x), np.clip((x[:, 0] + 2) * 5, 0, 19).astype(int)),
        "linear signal": (texts(x), x @ np.arange(10) + noise * 6 > 0),
        "missing values (30%)": (texts(gaps), x[:, 0] + x[:, 1] > 0),
    }


def texts(values):
    return np.array([["" if v != v else repr(float(v)) for v in row] for row in values])


def labels(values):
    return np.array(["c%02d" % v for v in values])


def numeric(column):
    """A column of numbers, missing where a cell is none; None for a column of categories."""
    def number(text):
        try:
            return float(text)
        except ValueError:
            return np.nan
    numbers = np.array([number(text) for text in column])
    given = column != ""
    return numbers if np.isnan(numbers[given]).mean() < 0.05 else None


def encoded(train, test):
    """The columns as HGB takes them, and which of them are categories."""
    columns, categories = [], []
    for i in range(train.shape[1]):
        both = np.concatenate([train[:, i], test[:, i]])
        numbers = numeric(both)
        if numbers is None:
            encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan).fit(train[:, [i]])
            numbers = encoder.transform(both.reshape(-1, 1))[:, 0]
            categories.append(len(encoder.categories_[0]) < MAX_CATEGORIES)
        else:
            categories.append(False)
        columns.append(numbers)
    all_rows = np.column_stack(columns)
    return all_rows[: len(train)], all_rows[len(train):], categories


def fitted(train, test, own):
    """HGB with its defaults: probabilities, classes and seconds of CPU."""
    x, other, categories = encoded(train, test)
    begun = time.process_time()
    model = HistGradientBoostingClassifier(random_state=0, categorical_features=categories).fit(x, own)
    seconds = time.process_time() - begun
    return {"seconds": seconds, "classes": list(model.classes_), "probabilities": model.predict_proba(other).tolist()}


def splits(name, x, y, sizes):
    if only not in name:
        return
    for seed in range(SMALL_SPLITS if len(y) < SMALL else SPLITS):
        train, test, own, other = train_test_split(x, y, random_state=seed, **sizes)
        if name == "one bad cell":
            train[17, 0] = "unknown"
        yield {"name": name, "train": train.tolist(), "labels": list(own), "test": test.tolist(),
               "truth": list(other), **fitted(train, test, own)}


def tables():
    for name in ("iris", "wine", "breast_cancer", "digits"):
        x, y = getattr(datasets, "load_" + name)(return_X_y=True)
        yield from splits(name, texts(x), labels(y), {"test_size": 0.25})
    for name, (x, y) in synthetic().items():
        yield from splits(name, x, labels(y), {"train_size": TRAINING, "test_size": TESTING})
    with open(telecom_file, newline="") as file:
        rows = np.array(list(csv.reader(file))[1:])
    yield from splits("telecom-history.csv", rows[:, :-1], rows[:, -1], {"test_size": 0.25})
    if only in "100,000 x 100":
        yield wide(wide_file, 100_000, 100)


def wide(path, rows, columns):
    x = random.normal(size=(rows + TESTING, columns)).round(4)
    own = labels(x[:, 0] + x[:, 1] * x[:, 2] + (x[:, 3:20] @ np.ones(17)) / 8 + random.normal(size=len(x)) > 0)
    train, test = x[:rows], x[rows:]
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["x%d" % i for i in range(columns)] + ["y"])
        writer.writerows([*row, label] for row, label in zip(train.tolist(), own))
    begun = time.process_time()
    model = HistGradientBoostingClassifier(random_state=0).fit(train, own[:rows])
    seconds = time.process_time() - begun
    return {"name": "100,000 x 100", "file": path, "test": texts(test).tolist(), "truth": list(own[rows:]),
            "seconds": seconds, "classes": list(model.classes_), "probabilities": model.predict_proba(test).tolist()}


made = tables()
for _ in sys.stdin:
    one = next(made, None)
    if one is None:
        break
    print(json.dumps(one), flush=True)
