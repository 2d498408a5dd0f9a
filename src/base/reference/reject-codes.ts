import type { ErrorDocs } from './error-doc.ts';

/** Codes of malformed records. `train` stops at such a record, with the same code; `score` rejects it. */
export const faultDocs = {
  bad_quoting: {
    cause: 'Text follows the closing quote of a field.',
    fix: 'Quote the whole field, doubling quotes inside it.',
  },
  too_few_fields: {
    cause: 'The record has fewer fields than the header.',
    fix: 'Quote fields that contain a line break.',
  },
  too_many_fields: {
    cause: 'The record has more fields than the header.',
    fix: 'Quote fields that contain the delimiter.',
  },
  repeated_header: {
    cause: 'The record is the header again: files were joined with their header lines.',
    fix: 'Nothing is lost; to avoid it, join only the rows. `train` leaves such records out.',
  },
  empty_record: {
    cause:
      'No field of the record has a value: spreadsheets write `;;;` for empty rows. In JSON lines, the object has several members, and all are null.',
    fix: 'Nothing is lost. `train` leaves such records out.',
  },
  not_utf8: {
    cause: 'The record is not valid UTF-8, or a text of JSON lines has an escape of half a character.',
    fix: 'Use `--encoding`, such as `windows-1252`; if only some rows are wrong, correct them.',
  },
  bad_json: {
    cause: 'The line is not a JSON object: it is cut off, wrong, or another value.',
    fix: 'Write one object per line.',
  },
  repeated_member: {
    cause:
      'The object on this line has a member twice, or a nested member and another one whose name has a point are the same column.',
    fix: 'Leave one of them out.',
  },
  scored_before: {
    cause:
      'The object on this line has a member whose name begins with `probability_`, as if it had been scored before.',
    fix: 'Score the file from which the output was made.',
  },
  unknown_member: {
    cause:
      'The object on this line has a value that none of the first objects has, and the output has no column for it, because it is CSV or Parquet.',
    fix: 'Name the columns of the output with `--keep`, or write JSON lines.',
  },
  not_a_number: {
    cause:
      'A column is written to Parquet as numbers, and this value is not a number, or too large for a double. A column is [text](formats.md#csv-and-json-lines-to-parquet) if most of its first values are no numbers.',
    fix: 'Correct it, or name it with `--nulls` if it stands for a missing value.',
  },
} as const satisfies ErrorDocs;

export type FaultCode = keyof typeof faultDocs;

/** Codes of well-formed rows without a prediction: they came back without a usable one, or could not be sent. */
export const predictionDocs = {
  wrong_type: {
    cause: 'A value does not fit the type of its column, so the row was not sent.',
    fix: 'Correct it, list it in `--nulls` if it means a missing value, or give the column another type with `--types`.',
  },
  not_a_persona: {
    cause: 'The service received no object of features.',
    fix: 'Check `wire` in the definition.',
  },
  unknown_columns: {
    cause: 'The row has no column of the report or, in Parquet, no value in any column.',
    fix: 'Check `--features` and the header.',
  },
  invalid_value: { cause: 'A value is not text, a number, a boolean or null.' },
  wrong_probabilities: { cause: 'The probabilities are not numbers from 0 to 1 that sum to 1.' },
  wrong_prediction: {
    cause: 'The predicted number is not finite, or the label is empty or has more than 1,024 bytes.',
  },
} as const satisfies ErrorDocs;

/** Warning codes: those of runs are logged, those of training are stored in the report. */
export const warningDocs = {
  leak: {
    cause: 'A column reveals the class (leakage), so the accuracy is probably misleading.',
    fix: 'Leave it out unless it is known when predicting.',
  },
  duplicates: {
    cause: 'Testing rows have duplicates among the training rows, so the accuracy is too high.',
    fix: 'Remove them.',
  },
  no_better_than_majority: {
    cause: 'The model is not clearly better than always predicting the most frequent class.',
    fix: 'Add columns or rows; do not rely on the predictions.',
  },
  unknown_values: {
    cause:
      'Values do not fit the type of their column, are unknown categories, or are missing far more often than in training; or columns were sent as missing with `--allow-missing`.',
    fix: 'See [when the data changes](scoring.md#when-the-data-changes).',
  },
  drift: {
    cause: 'Columns or probabilities are distributed differently from the run of `--compare`.',
    fix: 'See [the comparison](scoring.md#compared-with-an-earlier-run).',
  },
  no_rows: {
    cause: 'The input has a header and no rows.',
    fix: 'If they come later, wait for them: `--wait-for-input`.',
  },
  unended_record: {
    cause: 'The only row of a CSV file has no line ending, so it may be cut off, and others missing.',
    fix: 'Several rows of which the last has none are not warned of: many programs write no last line ending.',
  },
  no_comparison: {
    cause:
      'There is no run to compare with, or of whose rows `--min-rows` could be a part: the summary of `--compare` is missing or has no counts, or no good run is known.',
    fix: 'On the first day, nothing. Otherwise check the name of the summary.',
  },
  last_run_not_kept: {
    cause: 'The record of finished runs cannot be written, so the next run will not know this one.',
    fix: 'Make the folder of the outputs writable.',
  },
  long_field: {
    cause: 'A quoted field exceeds 64 KiB or 100 lines: a stray quote may have joined rows.',
    fix: 'Only the first one of a run is reported.',
  },
} as const satisfies ErrorDocs;
