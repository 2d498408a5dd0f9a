import type { ErrorDocs } from './error-doc.ts';

/** Codes of malformed records. `train` stops at such a record, with the same code; `score` rejects it. */
export const faultDocs = {
  bad_quoting: {
    cause: 'Text follows the closing quote of a field.',
    fix: 'Quote the whole field, and double the quotes inside it.',
  },
  too_few_fields: {
    cause: 'The record has fewer fields than the header.',
    fix: 'Add the missing fields, or quote fields that contain a line break.',
  },
  too_many_fields: {
    cause: 'The record has more fields than the header.',
    fix: 'Quote fields that contain the delimiter.',
  },
  not_utf8: {
    cause: 'The record is not valid UTF-8.',
    fix: 'If the file has another encoding, name it, for example with `--encoding windows-1252`. If only some rows have, correct them.',
  },
} as const satisfies ErrorDocs;

export type FaultCode = keyof typeof faultDocs;

/** Codes of rows that were sent and came back without a usable prediction. */
export const predictionDocs = {
  not_a_persona: {
    cause: 'The service received no object of features for this row.',
    fix: 'Check `wire:` in the definition.',
  },
  unknown_columns: {
    cause: 'The row has none of the columns of the report.',
    fix: 'Check `--features` and the header.',
  },
  invalid_value: {
    cause: 'A value is not of a kind that can be a feature.',
    fix: 'Send text, numbers, booleans or null.',
  },
  wrong_probabilities: {
    cause: 'The probabilities of the row are not numbers from 0 to 1 that sum to 1.',
    fix: 'Check the service.',
  },
} as const satisfies ErrorDocs;

/** Warning codes: those of runs are logged, those of training are stored in the report. */
export const warningDocs = {
  leak: {
    cause:
      'A column of the training data reveals the class (leakage), so the accuracy is probably misleading.',
    fix: 'Leave the column out if it is not known at the time of the prediction.',
  },
  duplicates: {
    cause: 'Testing rows have duplicates among the training rows, so the accuracy is too high.',
    fix: 'Remove duplicate rows from the training data.',
  },
  no_better_than_majority: {
    cause: 'The model is not clearly better than always predicting the most frequent class.',
    fix: 'Add columns or rows; do not rely on the predictions.',
  },
  unknown_values: {
    cause:
      'Values of the input do not fit the type of their column, or are categories that the model does not know.',
    fix: 'Look at the columns that the warning names; see [when the data changes](drift.md).',
  },
  drift: {
    cause:
      'Columns or probabilities are distributed differently from those of the run that `--compare` names.',
    fix: 'Look at the columns that the warning names; see [when the data changes](drift.md#compared-with-an-earlier-run).',
  },
  long_field: {
    cause: 'A quoted field is longer than 64 KiB or 100 lines: a stray quote may have joined rows.',
    fix: 'Look at the line that the warning names. It is reported once for each run.',
  },
} as const satisfies ErrorDocs;
