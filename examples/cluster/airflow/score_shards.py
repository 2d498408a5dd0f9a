"""Plans a run, scores its shards, several at a time, and joins them; Airflow 3.

Workers run where the tasks run, so all of them must see the folder at the same path.
"""

import json
import os
import subprocess
from datetime import datetime, timedelta
from pathlib import Path

from airflow.sdk import dag, task
from airflow.sdk.exceptions import AirflowException, AirflowFailException

FOLDER = Path(os.environ.get("CHURN_FOLDER", "/srv/churn"))
SHARDS = "scored.csv.shards"
RETRIES = {
    "retries": 5,
    "retry_delay": timedelta(seconds=int(os.environ.get("CHURN_RETRY_SECONDS", "60"))),
}


def rowcast(*arguments: str, done: tuple[int, ...] = (0,)) -> str:
    """Runs a command; what it logs goes to the log of the task. A BashOperator would retry every exit code."""
    ended = subprocess.run(["rowcast", *arguments], cwd=FOLDER, stdout=subprocess.PIPE, text=True, check=False)
    code = ended.returncode
    if code == 75 or code < 0 or code > 128:  # negative, or above 128 in a shell: ended by a signal
        raise AirflowException(f"exit code {code}; the next attempt resumes")
    if code not in done:
        raise AirflowFailException(f"exit code {code}; the log says what to change")
    return ended.stdout


@task(**RETRIES)
def plan() -> list[int]:
    """The numbers of the shards. Planning again resumes a run, also one that was cancelled."""
    options = os.environ.get("CHURN_OPTIONS", "--report churn").split()
    text = rowcast("plan", "personas.csv", *options, "-o", "scored.csv", "--shards", SHARDS, "--json")
    return list(range(json.loads(text)["shards"]))


@task(**RETRIES, max_active_tis_per_dagrun=4)
def work(shard: int) -> None:
    options = os.environ.get("CHURN_WORK_OPTIONS", "--threads 1").split()
    rowcast("work", SHARDS, "--shard", str(shard), *options)


# After all tasks, whatever became of them: a shard that was skipped, or marked as a success, is missing then, and joining
# fails. With the usual rule, a skipped shard would let this task be skipped and the run succeed.
@task(**RETRIES, trigger_rule="all_done")
def assemble() -> None:
    rowcast("assemble", SHARDS, done=(0, 1))  # 1: some rows were rejected


@dag(schedule="0 2 * * *", start_date=datetime(2026, 1, 1), catchup=False, max_active_runs=1)
def score_shards():
    work.expand(shard=plan()) >> assemble()


score_shards()
