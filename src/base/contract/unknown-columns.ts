/** Why a persona has no prediction of which no column is known; a typo must not pass for a missing value. */
export const unknownColumns = {
  code: 'unknown_columns',
  message: "The features contain none of the report's columns.",
} as const;
