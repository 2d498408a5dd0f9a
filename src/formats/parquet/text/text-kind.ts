/** The text that is made of a file. */
export type TextKind = 'csv' | 'jsonl';

/** What a record has around its cells. */
export interface RecordParts {
  /** Before the cell of each column. */
  readonly opens: readonly Uint8Array[];
  /** In the place of a missing value. */
  readonly missing: Uint8Array;
  /** After the last cell. */
  readonly close: Uint8Array;
}

/** What records of a text have around the cells of these columns. */
export function recordParts(kind: TextKind, names: readonly string[]): RecordParts {
  const csv = kind === 'csv';
  return {
    opens: names.map((name, index) => {
      const member = csv ? '' : `${JSON.stringify(name)}:`;
      return Buffer.from((index > 0 ? ',' : csv ? '' : '{') + member);
    }),
    missing: Buffer.from(csv ? '' : 'null'),
    close: Buffer.from(csv ? '\n' : '}\n'),
  };
}
