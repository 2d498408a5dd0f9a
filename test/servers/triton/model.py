"""The model of the folder in MODEL_FOLDER, for Triton's Python backend."""

import os
import sys

sys.path.append(os.environ["SITE_PACKAGES"])

import pickle  # noqa: E402
from pathlib import Path  # noqa: E402

import pandas  # noqa: E402
import triton_python_backend_utils as backend  # noqa: E402


class TritonPythonModel:
    def initialize(self, args):
        self.model = pickle.loads((Path(os.environ["MODEL_FOLDER"]) / "model.pkl").read_bytes())

    def execute(self, requests):
        return [self.respond(request) for request in requests]

    def respond(self, request):
        columns = {}
        for tensor in request.inputs():
            values = tensor.as_numpy().flatten()
            columns[tensor.name()] = [v.decode() for v in values] if values.dtype == object else values
        found = self.model.predict_proba(pandas.DataFrame(columns))
        return backend.InferenceResponse([backend.Tensor("probabilities", found)])
