"""Appends the probabilities of a LightGBM model to a CSV or Parquet: INPUT OUTPUT MODEL"""
import json, sys
import lightgbm, numpy as np, polars as pl

source, target, model = sys.argv[1:4]
known = json.load(open(model + ".json"))
types = {c: getattr(pl, name) for c, name in known["numbers"].items()} | {c: pl.String for c in known["levels"]}
df = pl.read_parquet(source) if source.endswith(".parquet") else pl.read_csv(source, schema_overrides=types)
codes = [
    pl.col(c).cast(pl.String).cast(pl.Enum(names), strict=False).to_physical().cast(pl.Float64) for c, names in known["levels"].items()
]
x = df.select(*[pl.col(c).cast(pl.Float64) for c in known["numbers"]], *codes).to_numpy()
p = lightgbm.Booster(model_file=model + ".txt").predict(x)
if p.ndim == 1:
    p = np.column_stack([1 - p, p])
df = df.with_columns(pl.Series(name, p[:, i]) for i, name in enumerate(known["classes"]))
if target.endswith(".parquet"):
    df.write_parquet(target)
elif target.endswith(".gz"):
    df.write_csv(target, compression="gzip", compression_level=6)
else:
    df.write_csv(target)
