"""Makes typed objects of OpenLineage events, which fails for unknown members, and prints their types."""

import importlib
import json
import sys

from openlineage.client.generated import base, schema_dataset, parent_run

FACETS = {
    "schema": "schema_dataset.SchemaDatasetFacet",
    "inputStatistics": "input_statistics_input_dataset.InputStatisticsInputDatasetFacet",
    "outputStatistics": "output_statistics_output_dataset.OutputStatisticsOutputDatasetFacet",
    "errorMessage": "error_message_run.ErrorMessageRunFacet",
    "parent": "parent_run.ParentRunFacet",
    "processing_engine": "processing_engine_run.ProcessingEngineRunFacet",
    "jobType": "job_type_job.JobTypeJobFacet",
}


def facet(name, members):
    module, _, kind = FACETS[name].partition(".")
    found = getattr(importlib.import_module(f"openlineage.client.generated.{module}"), kind)
    members = dict(members)
    assert members.pop("_schemaURL") == found._get_schema(), name
    producer = members.pop("_producer")
    if name == "schema":
        members["fields"] = [schema_dataset.SchemaDatasetFacetFields(**field) for field in members["fields"]]
    if name == "parent":
        members = {"run": parent_run.Run(**members["run"]), "job": parent_run.Job(**members["job"])}
    return found(producer=producer, **members)


def facets(given):
    return {name: facet(name, members) for name, members in given.items()}


def dataset(kind, given):
    return kind(**{name: facets(value) if name.lower().endswith("facets") else value for name, value in given.items()})


for line in sys.stdin:
    event = json.loads(line)
    assert event.pop("schemaURL") == base.RunEvent._get_schema()
    run, job = event.pop("run"), event.pop("job")
    parsed = base.RunEvent(
        eventTime=event.pop("eventTime"),
        producer=event.pop("producer"),
        eventType=base.EventType(event.pop("eventType")),
        run=base.Run(runId=run["runId"], facets=facets(run["facets"])),
        job=base.Job(namespace=job["namespace"], name=job["name"], facets=facets(job["facets"])),
        inputs=[dataset(base.InputDataset, one) for one in event.pop("inputs")],
        outputs=[dataset(base.OutputDataset, one) for one in event.pop("outputs")],
    )
    assert event == {}, event
    print(parsed.eventType.value, parsed.run.runId, *sorted(parsed.run.facets))
