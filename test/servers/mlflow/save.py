"""Saves the model in the form of MLflow, with probabilities as its predictions: python save.py FOLDER"""

import pickle
import sys
from pathlib import Path

import mlflow
from mlflow.models import infer_signature

folder = Path(sys.argv[1])
sys.path.insert(0, str(Path(__file__).parent.parent / "model"))
from train import features, read  # noqa: E402

model = pickle.loads((folder / "model.pkl").read_bytes())
rows = features(read(folder / "personas.csv"))
mlflow.sklearn.save_model(
    model,
    folder / "mlflow-model",
    signature=infer_signature(rows, model.predict_proba(rows)),
    pyfunc_predict_fn="predict_proba",
    skops_trusted_types=["numpy.dtype"],
)
