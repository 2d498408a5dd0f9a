#!/usr/bin/env bash
# XGBoost 3.2.0, as 3.1 and 3.3, keeps the categories of a column damaged if they have letters outside of ASCII: a text of n letters
# gets n bytes of its UTF-8. Of "a", "Ünï" and "z" the list in the model is "a", "Ün" and the first byte of "ï".
# Predictions are then wrong, too, without a message: they compare the categories of a frame with this list, so a frame whose
# categories are in another order gets those of other categories. 3.4.1 has all bytes, and predicts the same in any order.
# Seen: "saved: b'a\xc3\x9cn\xc3'", "order of training: 1.2 2.1 3.7", "another order: 3.7 2.1 3.7".
# What follows for a program that reads such a file: if any byte is outside of ASCII, only the codes are known.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet xgboost-cpu==3.2.0 pandas==3.0.5
venv/bin/python - <<'PYTHON' | tee seen
import json

import pandas
import xgboost

names = ["a", "Ünï", "z"]


def data(order, times=1, **label):
    frame = pandas.DataFrame({"plan": pandas.Categorical(names * times, categories=order)})
    return xgboost.DMatrix(frame, enable_categorical=True, **label)


booster = xgboost.train({}, data(names, 100, label=[1, 2, 4] * 100), 5)
booster.save_model("model.json")
with open("model.json") as file:
    [saved] = json.load(file)["learner"]["gradient_booster"]["model"]["cats"]["enc"]
print(f"saved: {bytes(byte % 256 for byte in saved['values'])}")
for name, order in [("order of training", names), ("another order", ["Ünï", "a", "z"])]:
    print(f"{name}: {' '.join(f'{value:.1f}' for value in booster.predict(data(order)))}")
PYTHON
diff seen - <<'EXPECTED'
saved: b'a\xc3\x9cn\xc3'
order of training: 1.2 2.1 3.7
another order: 3.7 2.1 3.7
EXPECTED
