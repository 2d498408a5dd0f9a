"""Serves the model of the folder in MODEL_FOLDER with typed rows: uvicorn app:app --host 127.0.0.1 --port PORT"""

import os
import pickle
from pathlib import Path

import pandas
from fastapi import FastAPI
from pydantic import BaseModel

model = pickle.loads((Path(os.environ["MODEL_FOLDER"]) / "model.pkl").read_bytes())
app = FastAPI()


class Row(BaseModel):
    tenure: int
    monthly: float
    support_calls: int
    speed: float | None
    data_gb: float | None
    satisfaction: float | None
    region: str
    segment: str
    contract: str
    access: str
    tv: str
    paperless: str
    payment: str | None


class Request(BaseModel):
    rows: list[Row]


@app.get("/readyz")
def ready():
    return {"ready": True}


@app.post("/score")
def score(request: Request):
    table = pandas.DataFrame([row.model_dump() for row in request.rows])
    return {"classes": list(model.classes_), "predictions": model.predict_proba(table).tolist()}
