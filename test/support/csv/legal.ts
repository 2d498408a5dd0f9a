import fc from 'fast-check';

/** A valid CSV, with what is needed to read it. */
export interface LegalCsv {
  text: string;
  delimiter: string;
  loneCr: boolean;
}

/** Fields of characters with and without a meaning in CSV. */
const field = fc
  .array(
    fc.constantFrom('a', 'b', '1', ' ', ',', ';', '\t', '"', '\n', '\r', 'é', '日', '🙂', '\u0000', '\ufeff'),
    {
      maxLength: 6,
    },
  )
  .map(parts => parts.join(''));

/** One valid way of writing a field: unquoted where that means the same, or quoted. */
const written = (delimiter: string, endings: string) => (value: string, quoted: boolean) => {
  const bare = !value.startsWith('"') && ![...value].some(c => c === delimiter || endings.includes(c));
  return bare && !quoted ? value : `"${value.replaceAll('"', '""')}"`;
};

/**
 * Any valid CSV of one to four columns.
 *
 * @param blanks maximum number of blank lines after a row; only in files of several columns
 */
export function legalCsv(blanks = 0): fc.Arbitrary<LegalCsv> {
  return fc
    .record({
      delimiter: fc.constantFrom(',', ';', '\t'),
      endings: fc.constantFrom(['\n'], ['\r\n'], ['\n', '\r\n'], ['\r'], ['\r', '\n', '\r\n']),
      columns: fc.integer({ min: 1, max: 4 }),
      finalEnding: fc.boolean(),
    })
    .chain(shape =>
      fc.record({
        shape: fc.constant(shape),
        rows: fc.array(
          fc.record({
            fields: fc.array(fc.tuple(field, fc.boolean()), {
              minLength: shape.columns,
              maxLength: shape.columns,
            }),
            ending: fc.constantFrom(...shape.endings),
            blanks: fc.integer({ min: 0, max: shape.columns === 1 ? 0 : blanks }),
          }),
          { maxLength: 12 },
        ),
      }),
    )
    .map(({ shape, rows }) => {
      const write = written(shape.delimiter, '\n\r');
      const names = Array.from({ length: shape.columns }, (_, index) => `c${index}`);
      // The first line ending decides whether a lone CR ends records.
      let text = names.join(shape.delimiter) + (shape.endings[0] ?? '\n');
      for (const [index, row] of rows.entries()) {
        const last = index === rows.length - 1 && !shape.finalEnding;
        const content = row.fields.map(([value, quoted]) => write(value, quoted)).join(shape.delimiter);
        // An empty last line without an ending does not count; a CR and a bare LF after it would be one ending.
        text += (content === '' ? '""' : content) + (last ? '' : row.ending.repeat(1 + row.blanks));
      }
      return { text, delimiter: shape.delimiter, loneCr: shape.endings[0] === '\r' };
    });
}
