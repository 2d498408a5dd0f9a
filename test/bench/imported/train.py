"""Writes the input of `npm run bench -- models`, and the models that score it: train.py FOLDER ROWS

20 columns of four decimals, of which 5 % are missing. Prints the models, as far as their libraries are installed.
"""
import os, sys

os.environ["OMP_WAIT_POLICY"] = "passive"  # Threads that wait take no time from other processes.
import numpy as np
import polars as pl

folder, rows = sys.argv[1], int(sys.argv[2])
random = np.random.default_rng(3)
WIDTH, TRAINING = 20, 40_000
names = [f"x{i}" for i in range(WIDTH)]


def table(count):
    values = np.round(random.normal(0, 1, (count, WIDTH)), 4)
    values[random.random((count, WIDTH)) < 0.05] = np.nan
    return values


def path(name):
    return os.path.join(folder, name)


frame = pl.DataFrame(table(rows), schema=names)
frame.with_columns(pl.all().fill_nan(None)).write_csv(path("in.csv"))
x = table(TRAINING)
z = np.nan_to_num(x)
noise = random.normal(0, 0.5, TRAINING)
y = (z[:, 0] * z[:, 1] + np.sin(3 * z[:, 2]) + z[:, 3] ** 2 - 1 + z[:, 4] * z[:, 5] + noise > 0).astype(int)

try:
    import lightgbm

    data = lightgbm.Dataset(x, y, feature_name=names, free_raw_data=False)
    for trees, leaves in ((100, 31), (500, 127), (500, 255)):
        options = {"objective": "binary", "num_leaves": leaves, "min_data_in_leaf": 5, "verbose": -1}
        name = f"lightgbm-{trees}x{leaves}.txt"
        lightgbm.train(options, data, trees).save_model(path(name))
        print(name)
except ImportError:
    pass
try:
    import xgboost

    data = xgboost.DMatrix(x, y, feature_names=names)
    name = "xgboost-500x8.json"
    xgboost.train({"objective": "binary:logistic", "max_depth": 8}, data, 500).save_model(path(name))
    print(name)
except ImportError:
    pass
try:
    import lleaves  # noqa: F401
    from llvmlite.binding import PassManagerBuilder  # noqa: F401 (what lleaves 1.3 uses; 0.45 does not have it)

    print("lleaves")
except ImportError:
    pass
