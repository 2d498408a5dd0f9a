"""The scoring script of a container of Azure Machine Learning: the model of the folder in MODEL_FOLDER."""

import json
import os
import pickle
from pathlib import Path

import pandas


def init():
    global model
    model = pickle.loads((Path(os.environ["MODEL_FOLDER"]) / "model.pkl").read_bytes())


def run(raw_data):
    frame = json.loads(raw_data)["input_data"]
    rows = pandas.DataFrame(frame["data"], columns=frame["columns"], index=frame["index"])
    return model.predict_proba(rows).tolist()
