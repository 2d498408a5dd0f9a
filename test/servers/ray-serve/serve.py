"""Serves the model of the folder in MODEL_FOLDER with Ray Serve: python serve.py PORT"""

import os
import pickle
import sys
from pathlib import Path

import pandas
import ray
from ray import serve
from starlette.requests import Request


@serve.deployment
class Churn:
    def __init__(self, file):
        self.model = pickle.loads(Path(file).read_bytes())

    async def __call__(self, request: Request):
        if request.method == "GET":
            return {"ready": True}
        body = await request.json()
        return {"predictions": self.model.predict_proba(pandas.DataFrame(body["instances"])).tolist()}


if __name__ == "__main__":
    file = str(Path(os.environ["MODEL_FOLDER"]) / "model.pkl")
    ray.init(include_dashboard=False, num_cpus=2, _node_ip_address="127.0.0.1")
    serve.start(http_options={"host": "127.0.0.1", "port": int(sys.argv[1])})
    serve.run(Churn.bind(file), route_prefix="/churn", blocking=True)
