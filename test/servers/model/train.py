"""Trains the model that the servers of these tests serve, and writes personas with what it predicts for them.

    python train.py HISTORY FOLDER ROWS

writes FOLDER/model.pkl, a pipeline of scikit-learn, FOLDER/personas.csv, and FOLDER/truth.csv: the probabilities of "no"
and "yes" of each persona, as the model gives them in Python.
"""

import pickle
import sys
from pathlib import Path

import numpy
import pandas
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

NUMBERS = ["tenure", "speed", "monthly", "data_gb", "support_calls", "satisfaction"]
TEXTS = ["region", "segment", "contract", "access", "tv", "paperless", "payment"]


def features(table):
    """The columns of the model, with numbers as numbers."""
    numbers = table[NUMBERS].apply(lambda column: pandas.to_numeric(column.str.strip(), errors="coerce"))
    texts = table[TEXTS].astype(object).where(table[TEXTS] != "", None)
    return pandas.concat([numbers.astype(float), texts], axis=1)


def read(path):
    return pandas.read_csv(path, dtype=str, keep_default_na=False)


def trained(history):
    # A missing text is like one that the model does not know: servers differ in what they make of it.
    complete = history[(history[TEXTS] != "").all(axis=1)]
    numbers = Pipeline([("fill", SimpleImputer()), ("scale", StandardScaler())])
    columns = ColumnTransformer(
        [("numbers", numbers, NUMBERS), ("texts", OneHotEncoder(handle_unknown="ignore"), TEXTS)]
    )
    model = Pipeline([("columns", columns), ("classify", LogisticRegression(max_iter=1000))])
    return model.fit(features(complete), complete["churned"])


def sampled(history, rows):
    """Rows of the history, each with other numbers."""
    random = numpy.random.default_rng(7)
    table = history.drop(columns=["churned"]).sample(rows, replace=True, random_state=7).reset_index(drop=True)
    table["customer"] = [f"P-{row:06d}" for row in range(rows)]
    table["monthly"] = [f"{value:.2f}" for value in random.uniform(5, 120, rows)]
    table["tenure"] = random.integers(0, 90, rows).astype(str)
    return table


def main(history_file, folder, rows):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    history = read(history_file)
    model = trained(history)
    with open(folder / "model.pkl", "wb") as file:
        pickle.dump(model, file)
    personas = sampled(history, int(rows))
    personas.to_csv(folder / "personas.csv", index=False)
    truth = model.predict_proba(features(personas))
    with open(folder / "truth.csv", "w") as file:
        file.writelines(f"{no!r},{yes!r}\n" for no, yes in truth.tolist())


if __name__ == "__main__":
    main(*sys.argv[1:])
