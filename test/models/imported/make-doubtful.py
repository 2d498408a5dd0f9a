"""Makes models whose files do not say all that predictions need, with the library's own predictions.

LightGBM 4.7.0, CatBoost 1.2.10, pandas 3: python test/models/imported/make-doubtful.py
"""
import numpy as np
import pandas as pd
from catboost import CatBoostClassifier, Pool
from lightgbm import Dataset, train

folder = "fixtures/models/doubtful-"
rng = np.random.default_rng(3)
n = 400
plan = rng.choice(["basic", "plus", "pro", "max"], n)
size = rng.choice(["small", "medium", "large"], n)
X = pd.DataFrame({
    "visits": rng.integers(0, 3, n), "size": pd.Categorical(size, ["small", "medium", "large"], ordered=True),
    "code": rng.integers(0, 4, n), "plan": pd.Categorical(plan),
})
y = ((plan == "pro") * 2.0 + (size == "large") + X["visits"] - X["code"] % 2 + rng.normal(0, 0.5, n) > 1.5).astype(int)
SMALL = {"objective": "binary", "num_leaves": 6, "verbose": -1, "num_threads": 1, "seed": 7, "min_data_in_leaf": 5,
         "min_data_per_group": 5, "deterministic": True}

# A list for "size", which "visits" might have; then one for "plan", which only the other column can show.
for name, columns, given in [("ordered", ["visits", "size", "plan"], "auto"), ("explicit", ["code", "plan"], ["code"])]:
    data = X[columns]
    model = train(SMALL, Dataset(data, y, categorical_feature=given), 4)
    model.save_model(f"{folder}{name}.txt")
    data.assign(raw_score=model.predict(data, raw_score=True)).head(60).to_csv(f"{folder}{name}.csv", index=False)

# Missing values and booleans as texts, as CatBoost wants them.
T = pd.DataFrame({"plan": plan, "partner": rng.random(n) < 0.4, "age": rng.integers(18, 90, n).astype(float)})
T.loc[rng.random(n) < 0.2, "plan"] = np.nan
filled = T.assign(plan=T["plan"].astype(object).where(T["plan"].notna(), "nan"))
y = np.where(T["plan"].isna() * 1.5 + T["partner"] * 1.0 + rng.normal(0, 0.5, n) > 0.8, "yes", "no")
model = CatBoostClassifier(iterations=10, depth=3, one_hot_max_size=255, max_ctr_complexity=0, verbose=0, random_seed=7,
                           cat_features=["plan", "partner"], allow_writing_files=False).fit(filled, y)
model.set_probability_threshold(0.7)
model.save_model(f"{folder}texts.json", format="json", pool=Pool(filled, y, cat_features=["plan", "partner"]))
T.assign(raw_score=model.predict(filled, prediction_type="RawFormulaVal"),
         predicted=model.predict(filled)).head(60).to_csv(f"{folder}texts.csv", index=False)
