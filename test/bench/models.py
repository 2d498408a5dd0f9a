"""Splits of data sets, and what scikit-learn's HistGradientBoosting makes of them: one JSON object a line."""
import json, time
import numpy as np
from sklearn import datasets
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import train_test_split

random = np.random.RandomState(7)
n = 2000
x = random.normal(size=(n, 10))
surname = random.randint(0, 700, size=n).astype(float)
tables = {name: getattr(datasets, "load_" + name)(return_X_y=True) for name in ("iris", "wine", "breast_cancer", "digits")}
tables["linear signal"] = (x, (x @ np.arange(10) + random.normal(size=n) * 6 > 0).astype(int))
tables["interactions"] = (x, ((x[:, 0] > 0) ^ (x[:, 1] > 0.3) ^ (random.uniform(size=n) < 0.1)).astype(int))
tables["imbalance"] = (x, (x[:, 0] + x[:, 1] + random.normal(size=n) > 3).astype(int))
tables["many classes"] = (x, np.clip(((x[:, 0] + 2) * 5).astype(int), 0, 19))
tables["missing values"] = (np.where(random.uniform(size=x.shape) < 0.3, np.nan, x), (x[:, 0] + x[:, 1] > 0).astype(int))
tables["rare categories"] = (np.column_stack([surname, x[:, :3]]), (x[:, 0] + random.normal(size=n) > 0).astype(int))
for name, (features, labels) in tables.items():
    for seed in range(3):
        train, test, own, other = train_test_split(features, labels, test_size=0.25, random_state=seed)
        begun = time.time()
        model = HistGradientBoostingClassifier(random_state=0).fit(train, own)
        seconds = time.time() - begun
        rows = lambda values, classes: [
            ["" if v != v else ("s%d" % v if name == "rare categories" and i == 0 else repr(float(v))) for i, v in enumerate(row)] + ["c%d" % c]
            for row, c in zip(values, classes)
        ]
        print(json.dumps({"name": name, "seconds": seconds, "accuracy": model.score(test, other), "train": rows(train, own), "test": rows(test, other)}))
