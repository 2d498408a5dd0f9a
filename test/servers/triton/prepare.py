"""Makes a model repository and a folder of backends for Triton: python prepare.py FOLDER

The package nvidia-pytriton has the server, and its Python backend for several versions of Python.
"""

import shutil
import sys
from pathlib import Path

import pytriton

NUMBERS = ["tenure", "speed", "monthly", "data_gb", "support_calls", "satisfaction"]
TEXTS = ["region", "segment", "contract", "access", "tv", "paperless", "payment"]

folder = Path(sys.argv[1])
server = Path(pytriton.__file__).parent / "tritonserver"
version = f"{sys.version_info.major}.{sys.version_info.minor}"
shutil.copytree(server / "backends", folder / "backends", dirs_exist_ok=True)
shutil.copy(server / "python_backend_stubs" / version / "triton_python_backend_stub", folder / "backends/python")
model = folder / "repository" / "churn"
(model / "1").mkdir(parents=True, exist_ok=True)
shutil.copy(Path(__file__).parent / "model.py", model / "1")


def tensor(name, kind, width=1):
    return f'{{ name: "{name}" data_type: {kind} dims: [ {width} ] }}'


inputs = [tensor(name, "TYPE_FP64") for name in NUMBERS] + [tensor(name, "TYPE_STRING") for name in TEXTS]
(model / "config.pbtxt").write_text(
    f"""name: "churn"
backend: "python"
max_batch_size: 400
input [ {", ".join(inputs)} ]
output [ {tensor("probabilities", "TYPE_FP64", 2)} ]
"""
)
