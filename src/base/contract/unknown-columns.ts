/** Why a persona has no prediction of which no column is known; a typo must not pass for a missing value. */
export const unknownColumns = {
  code: 'unknown_columns',
  message: "The features contain none of the report's columns.",
} as const;

/** Why a row of a file that is not text is not scored if it has no value at all. A service is never sent one. */
export const noValues = {
  code: unknownColumns.code,
  message: 'no column of the row has a value',
} as const;
