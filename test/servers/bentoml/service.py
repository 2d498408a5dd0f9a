"""Serves the model of the folder in MODEL_FOLDER: bentoml serve service:Churn --host 127.0.0.1 --port PORT"""

import os
import pickle
from pathlib import Path

import bentoml
import pandas


@bentoml.service
class Churn:
    def __init__(self):
        self.model = pickle.loads((Path(os.environ["MODEL_FOLDER"]) / "model.pkl").read_bytes())

    @bentoml.api
    def predict(self, rows: list[dict]) -> list[dict]:
        found = self.model.predict_proba(pandas.DataFrame(rows)).tolist()
        return [dict(zip(self.model.classes_, row)) for row in found]
