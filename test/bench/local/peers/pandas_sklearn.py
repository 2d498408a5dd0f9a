"""Appends the probabilities of a scikit-learn model to a CSV: INPUT OUTPUT MODEL"""
import sys
import joblib, numpy as np, pandas as pd

source, target, model = sys.argv[1:4]
boosted, numbers, levels = joblib.load(model)
df = pd.read_csv(source, dtype={c: str for c in levels})
x = np.empty((len(df), len(numbers) + len(levels)))
x[:, : len(numbers)] = df[numbers]
for i, (c, names) in enumerate(levels.items(), len(numbers)):
    x[:, i] = df[c].map({name: code for code, name in enumerate(names)})
p = boosted.predict_proba(x)
df[list(boosted.classes_)] = p
df.to_csv(target, index=False, compression={"method": "gzip", "compresslevel": 6} if target.endswith(".gz") else None)
