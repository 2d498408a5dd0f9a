"""Trains the models of the table and writes their files into a folder: `train.py FOLDER ROWS [WORD...]`.

Of each it prints a line of JSON for run.ts: the files, the options of `rowcast import`, or why there is no model.
"""

import importlib
import json
import sys

from cells import Cells

folder, rows, *words = sys.argv[1:]
for library in ("lightgbm", "xgboost", "catboost"):
    try:
        table = importlib.import_module(f"{library}_cells")
    except ModuleNotFoundError as error:
        print(json.dumps({"skipped": library, "why": str(error)}), flush=True)
        continue
    table.run(Cells(folder, library, int(rows), words))
