"""Trains LightGBM with as many trees and leaves as a report's model: HISTORY PREDICT ROUNDS LEAVES MODEL"""
import json, sys
import lightgbm, polars as pl

history, predict, rounds, leaves, model = sys.argv[1:6]
df = pl.read_csv(history, null_values=["", " "], infer_schema_length=None)
classes = sorted(df[predict].cast(pl.String).unique())
features = df.drop(predict)
numbers = {c: str(t) for c, t in features.schema.items() if t.is_numeric()}
levels = {c: sorted(features[c].drop_nulls().unique()) for c in features.columns if c not in numbers}
levels = {c: names for c, names in levels.items() if len(names) < 255}  # not identifiers
x = df.select(
    *[pl.col(c).cast(pl.Float64) for c in numbers],
    *[pl.col(c).cast(pl.Enum(names)).to_physical().cast(pl.Float64) for c, names in levels.items()],
).to_numpy()
y = df[predict].cast(pl.String).cast(pl.Enum(classes)).to_physical().to_numpy()
objective = {"objective": "binary"} if len(classes) == 2 else {"objective": "multiclass", "num_class": len(classes)}
parameters = {**objective, "num_leaves": int(leaves), "min_data_in_leaf": 5, "seed": 1, "verbose": -1}
data = lightgbm.Dataset(x, y, categorical_feature=list(range(len(numbers), x.shape[1])))
booster = lightgbm.train(parameters, data, int(rounds))
booster.save_model(model + ".txt")
with open(model + ".json", "w") as file:
    json.dump({"numbers": numbers, "levels": levels, "classes": classes}, file)
grown = [tree["num_leaves"] for tree in booster.dump_model()["tree_info"]]
print(json.dumps({"trees": len(grown), "leaves": sum(grown) / len(grown)}))
