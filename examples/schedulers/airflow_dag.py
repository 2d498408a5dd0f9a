"""Scores each in/*.csv of a folder, two at a time; Airflow 3.

A BashOperator retries every exit code. This task retries 75, a signal and a crash, and fails at once where a person
has to change something.
"""

import json
import os
import subprocess
from datetime import datetime, timedelta
from pathlib import Path

from airflow.sdk import dag, task
from airflow.sdk.exceptions import AirflowException, AirflowFailException

FOLDER = Path(os.environ.get("CHURN_FOLDER", "/srv/churn"))


@task
def list_files() -> list[str]:
    return sorted(path.name for path in FOLDER.glob("in/*.csv"))


@task(
    retries=3,
    retry_delay=timedelta(seconds=int(os.environ.get("CHURN_RETRY_SECONDS", "300"))),
    max_active_tis_per_dagrun=2,
)
def score(name: str) -> dict:
    summary = FOLDER / "scored" / f"{name}.summary.json"
    summary.parent.mkdir(exist_ok=True)
    command = ["rowcast", "score", f"in/{name}", "-o", f"scored/{name}", "--report", "churn"]
    command += ["--if-exists", "skip-unchanged", "--restart-if-changed", "--rejects-ok", "1%"]
    command += ["--summary", str(summary)]
    # What it writes goes to the log of the task.
    code = subprocess.run(command, cwd=FOLDER, check=False).returncode
    if code == 75 or code < 0 or code > 128:  # negative, or above 128 in a shell: ended by a signal
        raise AirflowException(f"{name}: exit code {code}; the next attempt resumes")
    if code > 1:
        raise AirflowFailException(f"{name}: exit code {code}; the log says what to change")
    return json.loads(summary.read_text())["rows"]


@dag(schedule="0 2 * * *", start_date=datetime(2026, 1, 1), catchup=False, max_active_runs=1)
def score_churn():
    score.expand(name=list_files())


score_churn()
