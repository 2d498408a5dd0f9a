"""Plans a run, scores its shards in the executors of Spark, and joins them.

    spark-submit --master 'local[4,4]' score_shards.py personas.csv --report churn -o scored.csv --shards scored.csv.shards

The arguments are those of `rowcast plan`. The exit code is that of `rowcast assemble`, or of the plan if it fails.
"""

import ctypes
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator

from pyspark.sql import SparkSession

PR_SET_PDEATHSIG = 1  # prctl(2)


def end_with_parent() -> None:
    """Of a worker: it ends when its executor is killed, and does not keep its shard (Linux)."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def work(folder: str, shards: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Scores shards in processes of their own. Yields each with its exit code."""
    options = shlex.split(os.environ.get("WORK_OPTIONS", "--threads 1"))
    for shard in shards:
        command = ["rowcast", "work", folder, "--shard", str(shard), *options]
        code = subprocess.run(command, preexec_fn=end_with_parent, check=False).returncode
        if code == 75:
            time.sleep(float(os.environ.get("RETRY_SECONDS", "30")))
        # Spark retries whatever raises, at once: what another attempt cannot change must not raise.
        if code == 75 or code < 0 or code > 128:
            raise RuntimeError(f"shard {shard}: exit code {code}; the next attempt resumes")
        yield shard, code


def main() -> int:
    plan = subprocess.run(
        ["rowcast", "plan", *sys.argv[1:], "--json"], stdout=subprocess.PIPE, text=True, check=False
    )
    if plan.returncode != 0:
        return plan.returncode
    planned = json.loads(plan.stdout)
    folder, number = planned["folder"], planned["shards"]
    spark = SparkSession.builder.appName("rowcast").getOrCreate()
    try:
        shards = spark.sparkContext.parallelize(range(number), number)
        failed = [each for each in shards.mapPartitions(lambda some: work(folder, some)).collect() if each[1] != 0]
        for shard, code in failed:
            print(f"shard {shard}: exit code {code}", file=sys.stderr)
    finally:
        spark.stop()
    # It names the shards that are missing.
    return subprocess.run(["rowcast", "assemble", folder], check=False).returncode


sys.exit(main())
