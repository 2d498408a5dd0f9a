"""Serves the model of the folder in MODEL_FOLDER by KServe's versions 1 and 2: python serve.py PORT"""

import os
import pickle
import sys
from pathlib import Path

import pandas
import uvicorn
from kserve import InferOutput, InferResponse, Model, ModelServer

# It has no option for the address it listens on.
listens = uvicorn.Config.__init__
uvicorn.Config.__init__ = lambda self, *args, **options: listens(self, *args, **{**options, "host": "127.0.0.1"})


class Churn(Model):
    def load(self):
        self.model = pickle.loads((Path(os.environ["MODEL_FOLDER"]) / "model.pkl").read_bytes())
        self.ready = True

    def predict(self, payload, headers=None, response_headers=None):
        if isinstance(payload, dict):
            return {"predictions": self.model.predict_proba(pandas.DataFrame(payload["instances"])).tolist()}
        rows = payload.as_dataframe()
        found = self.model.predict_proba(rows)
        output = InferOutput("output-0", list(found.shape), "FP64", found.flatten().tolist())
        return InferResponse(response_id=payload.id, model_name=self.name, infer_outputs=[output])


if __name__ == "__main__":
    model = Churn("churn")
    model.load()
    ModelServer(http_port=int(sys.argv[1]), enable_grpc=False).start([model])
