"""Makes the models of the telecom customers and their own predictions, with which docs/imported-models.md is run.

LightGBM 4.7.0, XGBoost 3.4.1, CatBoost 1.2.10, pandas 3: python test/models/imported/make-telecom.py
"""
import pandas
from catboost import CatBoostClassifier, Pool
from lightgbm import LGBMClassifier
from xgboost import XGBClassifier

folder = "fixtures/models/"
history = pandas.read_csv("fixtures/telecom-history.csv", na_values=[" "])
X, y = history.drop(columns=["churned", "customer", "note"]), history["churned"]
texts = [name for name in X if X[name].dtype.kind not in "if"]
C = X.astype({name: "category" for name in texts})

def write(name, rows, raw, probabilities, classes):
    out = rows.assign(raw_score=raw)
    out[[f"probability_{c}" for c in classes]] = probabilities
    out.head(200).to_csv(f"{folder}{name}.csv", index=False)

model = LGBMClassifier(n_estimators=20, num_leaves=7, verbose=-1).fit(C, y)
model.booster_.save_model(f"{folder}telecom-lightgbm.txt")
write("telecom-lightgbm", C, model.predict(C, raw_score=True), model.predict_proba(C), model.classes_)

model = XGBClassifier(n_estimators=20, max_depth=3, enable_categorical=True).fit(C, y == "yes")
model.save_model(f"{folder}telecom-xgboost.ubj")
write("telecom-xgboost", C, model.predict(C, output_margin=True), model.predict_proba(C), ["no", "yes"])

T = X.fillna({name: "" for name in texts})
model = CatBoostClassifier(iterations=20, depth=3, one_hot_max_size=255, max_ctr_complexity=0, verbose=0,
                           cat_features=texts, allow_writing_files=False).fit(T, y)
model.save_model(f"{folder}telecom-catboost.json", format="json", pool=Pool(T, y, cat_features=texts))
write("telecom-catboost", T, model.predict(T, prediction_type="RawFormulaVal"), model.predict_proba(T), model.classes_)
