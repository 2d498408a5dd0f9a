"""Trains HistGradientBoosting with as many trees and leaves as a report's model: HISTORY PREDICT ROUNDS LEAVES MODEL"""
import json, sys
import joblib, pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier

history, predict, rounds, leaves, model = sys.argv[1:6]
df = pd.read_csv(history, na_values=[" "])
y = df.pop(predict).astype(str)
numbers = list(df.select_dtypes("number").columns)
levels = {c: sorted(df[c].dropna().unique()) for c in df.columns if c not in numbers}
levels = {c: names for c, names in levels.items() if len(names) < 255}  # not identifiers
x = df[numbers].astype(float)
for c, names in levels.items():
    x[c] = df[c].map({name: code for code, name in enumerate(names)}).astype(float)
boosted = HistGradientBoostingClassifier(
    max_iter=int(rounds), max_leaf_nodes=int(leaves), min_samples_leaf=5, early_stopping=False, random_state=1,
    categorical_features=[c in levels for c in x.columns],
).fit(x.to_numpy(), y)
joblib.dump((boosted, numbers, levels), model)
grown = [tree.get_n_leaf_nodes() for trees in boosted._predictors for tree in trees]
print(json.dumps({"trees": len(grown), "leaves": sum(grown) / len(grown)}))
