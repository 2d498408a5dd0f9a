"""What most people would write, with polars: score.py LIBRARY MODEL INPUT OUTPUT"""
import signal, sys

import polars as pl

library, model, source, target = sys.argv[1:]
frame = pl.read_csv(source)
values = frame.to_numpy()
if library == "lightgbm":
    import lightgbm

    second = lightgbm.Booster(model_file=model).predict(values)
elif library == "lleaves":
    import lleaves

    signal.alarm(60)  # Compiling 500 trees of 127 leaves takes ten minutes.

    compiled = lleaves.Model(model_file=model)
    compiled.compile()
    second = compiled.predict(values)
else:
    import xgboost

    second = xgboost.Booster(model_file=model).inplace_predict(values)
frame.with_columns(
    pl.Series("probability_0", 1 - second), pl.Series("probability_1", second)
).write_csv(target)
