#!/usr/bin/env bash
# csv-parse 7.0.3 takes the ending of the first line for that of all lines. With `skip_empty_lines`, a blank line that ends in CRLF
# in a file of LF is therefore no blank line, but a record with one field, a carriage return, and the file is refused with
# CSV_RECORD_INCONSISTENT_FIELDS_LENGTH. With both endings in `record_delimiter`, it is skipped.
# Seen: "detected: CSV_RECORD_INCONSISTENT_FIELDS_LENGTH", "given: 2 rows".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent csv-parse@7.0.3
cat >read.mjs <<'NODE'
import { parse } from 'csv-parse/sync';

const text = 'a,b\n1,2\n\r\n3,4\n';
const read = options => {
  try {
    return `${parse(text, { skip_empty_lines: true, from_line: 2, ...options }).length} rows`;
  } catch (error) {
    return error.code;
  }
};
console.log(`detected: ${read({})}`);
console.log(`given: ${read({ record_delimiter: ['\n', '\r\n'] })}`);
NODE
node read.mjs | tee seen
diff seen - <<'EXPECTED'
detected: CSV_RECORD_INCONSISTENT_FIELDS_LENGTH
given: 2 rows
EXPECTED
