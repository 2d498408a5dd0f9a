"""The predictor that a custom prediction routine of Vertex AI loads: the model of the folder in MODEL_FOLDER."""

import os
import pickle
from pathlib import Path

import pandas
from google.cloud.aiplatform.prediction.predictor import Predictor


class Churn(Predictor):
    def load(self, artifacts_uri):
        self.model = pickle.loads((Path(os.environ["MODEL_FOLDER"]) / "model.pkl").read_bytes())

    def predict(self, instances):
        rows = pandas.DataFrame(instances["instances"])
        return {"predictions": self.model.predict_proba(rows).tolist()}
