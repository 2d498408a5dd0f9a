#!/usr/bin/env bash
# LightGBM 4.7.0: with boosting=rf, `predict` returns the mean of the trees, but with `raw_score=True` their sum, although the
# objective leaves scores as they are. With boosting=gbdt, both are the same. Seen: "gbdt: 1", "rf: 10" for 10 trees.
# What follows for a program that compares its scores with `raw_score`: those of a forest are not divided by the iterations.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet lightgbm==4.7.0
venv/bin/python - <<'PYTHON' | tee seen
import lightgbm
import numpy

X = numpy.arange(400.0).reshape(200, 2)
y = X[:, 0] % 7
for boosting in ("gbdt", "rf"):
    params = {"boosting": boosting, "bagging_freq": 1, "bagging_fraction": 0.5, "seed": 1, "verbose": -1}
    booster = lightgbm.train(params, lightgbm.Dataset(X, y), 10)
    times = booster.predict(X, raw_score=True) / booster.predict(X)
    assert numpy.allclose(times, times[0])
    print(f"{boosting}: {times[0]:.0f}")
PYTHON
diff seen - <<'EXPECTED'
gbdt: 1
rf: 10
EXPECTED
