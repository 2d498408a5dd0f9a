#!/usr/bin/env bash
# PyArrow 26.0.1 hides the key-value pairs of a Parquet footer behind the metadata of its own schema: a pair that is only in the
# footer is in `read_metadata`, but neither in `read_schema` nor in `read_table`, if the file has `ARROW:schema`. Without that key,
# all three have it. Seen: "with ARROW:schema: footer own, schema None", "without: footer own, schema own".
# What follows for a program that writes `ARROW:schema`: the pairs must be in the metadata of that schema, too, or pandas does not
# find the index that its own pair `pandas` describes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet pyarrow==26.0.1
venv/bin/python - <<'PYTHON' | tee seen
import pyarrow
import pyarrow.parquet as parquet

table = pyarrow.table({"a": [1]})
for name, stored in [("with ARROW:schema", True), ("without", False)]:
    with parquet.ParquetWriter("file.parquet", table.schema, store_schema=stored) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata({"own": "x"})
    footer = [key.decode() for key in parquet.read_metadata("file.parquet").metadata if key != b"ARROW:schema"]
    schema = parquet.read_schema("file.parquet").metadata
    assert parquet.read_table("file.parquet").schema.metadata == schema
    print(f"{name}: footer {' '.join(footer)}, schema {schema and ' '.join(key.decode() for key in schema)}")
PYTHON
diff seen - <<'EXPECTED'
with ARROW:schema: footer own, schema None
without: footer own, schema own
EXPECTED
