/** The kind of a record, determined from its bytes alone. */
export const RecordKind = {
  /** No field is quoted: splitting at the delimiter gives the fields. */
  plain: 0,
  /** A field is quoted. */
  quoted: 1,
  /** An empty line in a file with several columns: not a record, but copied to the output. */
  blank: 2,
  /** Text follows a closing quote: the fields are ambiguous. */
  malformed: 3,
  /** It has the names of the header: joined files have a header each. */
  header: 4,
  /** All its fields are empty: spreadsheets write such records for empty rows. */
  empty: 5,
  /** A column that is written as numbers has a text in it. */
  notANumber: 6,
} as const;
export type RecordKind = (typeof RecordKind)[keyof typeof RecordKind];
