import { doubleOf } from '../../double-of.ts';

const [COMMA, QUOTE] = [0x2c, 0x22];
const NOTHING = Buffer.alloc(0);

export interface UnchangedOptions {
  /** Whether each column has numbers. */
  readonly numbers: readonly boolean[];
  /** Texts that stood for a missing number when the output was made. */
  readonly nulls: ReadonlySet<string>;
}

/**
 * A corrected row of a CSV with commas, in which a field that stands for the value which the output has is written as there: the
 * input may have written it in another way. The fields of the rejects do not tell what was corrected, because they may be corrected
 * in their place.
 */
export function keepUnchanged(corrected: Buffer, output: Buffer, options: UnchangedOptions): Buffer {
  const written = fieldsOf(output);
  const fields = fieldsOf(corrected).map((field, index) => {
    const own = written[index];
    if (own === undefined) return field;
    const [text, former] = [textOf(field), textOf(own)];
    if (text === former) return own;
    if (options.numbers[index] !== true) return field;
    if (options.nulls.has(text)) return NOTHING;
    const number = doubleOf(text, options.nulls);
    const isSame =
      former === '' ? number === undefined || number === null : Object.is(number, Number(former));
    return isSame ? own : field;
  });
  return Buffer.concat(fields.flatMap((field, index) => (index === 0 ? [field] : [Buffer.of(COMMA), field])));
}

/** Whether a corrected row has a text in a column of numbers, which stands for no missing one. */
export const hasText = (corrected: Buffer, { numbers, nulls }: UnchangedOptions): boolean =>
  fieldsOf(corrected).some(
    (field, index) => numbers[index] === true && doubleOf(textOf(field), nulls) === undefined,
  );

/** The fields of a row that is well formed, with their quotes. */
function fieldsOf(row: Buffer): Buffer[] {
  const fields: Buffer[] = [];
  for (let start = 0; start <= row.length; ) {
    let at = start;
    if (row[at] === QUOTE)
      do at = indexOr(row, QUOTE, at + 1) + 1;
      while (row[at] === QUOTE);
    const end = indexOr(row, COMMA, at);
    fields.push(row.subarray(start, end));
    start = end + 1;
  }
  return fields;
}

function indexOr(row: Buffer, byte: number, from: number): number {
  const at = row.indexOf(byte, from);
  return at === -1 ? row.length : at;
}

function textOf(field: Buffer): string {
  const text = field.toString();
  return field[0] === QUOTE ? text.slice(1, -1).replaceAll('""', '"') : text;
}
