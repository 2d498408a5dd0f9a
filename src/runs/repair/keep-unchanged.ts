const [COMMA, QUOTE] = [0x2c, 0x22];

/**
 * A corrected row of a CSV with commas, in which a field that was not corrected is as the output has it: a text of the input may
 * stand for another value there, such as a missing one.
 *
 * @param rejected the row as it was rejected, whose fields are the first of the others
 */
export function keepUnchanged(corrected: Buffer, rejected: Buffer, output: Buffer): Buffer {
  const [before, written] = [fieldsOf(rejected), fieldsOf(output)];
  const fields = fieldsOf(corrected).map((field, index) => {
    const [former, own] = [before[index], written[index]];
    const isSame = former !== undefined && textOf(former).equals(textOf(field));
    return isSame && own !== undefined ? own : field;
  });
  return Buffer.concat(fields.flatMap((field, index) => (index === 0 ? [field] : [Buffer.of(COMMA), field])));
}

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

function textOf(field: Buffer): Buffer {
  if (field[0] !== QUOTE) return field;
  return Buffer.from(field.toString('latin1').slice(1, -1).replaceAll('""', '"'), 'latin1');
}
