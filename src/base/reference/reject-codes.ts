import type { ErrorDocs } from './error-doc.ts';
import { reuseWarnings } from './reuse/reuse-docs.ts';

/** Codes of malformed records. `train` stops at such a record, with the same code; `score` rejects it. */
export const faultDocs = {
  bad_quoting: {
    cause: 'Text follows a closing quote.',
    fix: 'Quote the whole field, doubling quotes inside it.',
  },
  too_few_fields: { cause: 'Fewer fields than the header.', fix: 'Quote fields that contain a line break.' },
  too_many_fields: { cause: 'More fields than the header.', fix: 'Quote fields that contain the delimiter.' },
  repeated_header: { cause: 'The header again, as in joined files. Nothing is lost; `train` leaves it out.' },
  empty_record: {
    cause: 'No field has a value: spreadsheets write `;;;`. Nothing is lost; `train` leaves it out.',
  },
  not_utf8: {
    cause: 'Not UTF-8, or half a character in JSON lines.',
    fix: 'Use `--encoding`, such as `windows-1252`.',
  },
  bad_json: { cause: 'The line is not a JSON object.', fix: 'Write one object per line.' },
  repeated_member: {
    cause: 'A member is there twice, or a nested one has the name of another.',
    fix: 'Leave one out.',
  },
  scored_before: { cause: 'A member begins with `probability_`, as if it had been scored.' },
  unknown_member: {
    cause: 'The CSV or Parquet that is written has no column for a value.',
    fix: 'Name the columns with `--keep`, or write JSON lines.',
  },
  not_a_number: {
    cause:
      'Not a number, in a column that Parquet gets [as numbers](formats.md#csv-and-json-lines-to-parquet).',
    fix: 'Correct it, or name it with `--nulls`.',
  },
} as const satisfies ErrorDocs;

export type FaultCode = keyof typeof faultDocs;

/** Codes of well-formed rows without a prediction: they came back without a usable one, or could not be sent. */
export const predictionDocs = {
  wrong_type: {
    cause: 'A value does not fit its column, so the row was not sent.',
    fix: 'Correct it, list it in `--nulls`, or give `--types`.',
  },
  not_a_persona: { cause: 'The service received no object of features.', fix: 'Check `wire`.' },
  unknown_columns: {
    cause: 'No column of the report or, in Parquet, no value in any column.',
    fix: 'Check `--features` and the header.',
  },
  invalid_value: { cause: 'A value is not text, a number, a boolean or null.' },
  wrong_probabilities: { cause: 'They are not numbers from 0 to 1 that sum to 1.' },
  wrong_prediction: { cause: 'The number is not finite, or the label empty or over 1,024 bytes.' },
} as const satisfies ErrorDocs;

/** Warning codes: those of runs are logged, those of training are stored in the report. */
export const warningDocs = {
  leak: {
    cause: 'A column reveals the class or number, so the metrics mislead.',
    fix: 'Leave it out unless it is known when predicting.',
  },
  duplicates: {
    cause: 'Testing rows are among the training rows, so the metrics are too good.',
    fix: 'Remove them.',
  },
  no_better_than_baseline: {
    cause: 'The model is not clearly better than always the median.',
    fix: 'Do not rely on it; add columns or rows.',
  },
  no_better_than_majority: {
    cause: 'The model is not clearly better than the most frequent class.',
    fix: 'Do not rely on it; add columns or rows.',
  },
  worse_than_chance: {
    cause: 'An imported model ranks a class the wrong way round.',
    fix: 'Check the order of `--classes`.',
  },
  unknown_values: {
    cause: 'Values do not fit their column, are unknown, or missing far more often than in training.',
    fix: 'See [when the data changes](scoring.md#when-the-data-changes).',
  },
  drift: {
    cause: 'Columns or predictions differ from the run of `--compare`.',
    fix: 'See [the comparison](scoring.md#compared-with-an-earlier-run).',
  },
  no_labels: { cause: 'No row to evaluate has a label.', fix: 'Evaluate again when labels are there.' },
  unfair_labels: {
    cause: 'The rows with labels have other predictions than the rest.',
    fix: 'Figures may change when more labels arrive.',
  },
  no_rows: { cause: 'The input has a header only.', fix: 'Rows that come later: `--wait-for-input`.' },
  unended_record: { cause: 'The only row has no line ending, so it may be cut off.' },
  no_comparison: { cause: 'There is no run to compare with; on the first day, that is right.' },
  ...reuseWarnings,
  ledger_unreadable: {
    cause: 'The record of finished runs is damaged, so the last good run is not known. It is written again.',
  },
  last_run_not_kept: {
    cause: 'The record of runs cannot be written.',
    fix: 'Make the folder of the outputs writable.',
  },
  long_field: {
    cause: 'The first quoted field over 64 KiB or 100 lines: a stray quote may have joined rows.',
  },
} as const satisfies ErrorDocs;
