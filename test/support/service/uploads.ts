import { csv, history } from './history.ts';

/** Columns that the reports of `trainedHome` need. */
export const header = 'monthly amount,plan,__proto__';
/** A row that they can score, and one that is malformed. */
export const row = '25.5,Basic,3';
export const malformed = '25.5,Basic';

/** Rows of a kilobyte, most of it in a column that no report has. */
export const wide = {
  header: `${header},text`,
  row: `${row},${'x'.repeat(1000)}`,
  /** A CSV of this many rows, generated while it is read. */
  async *rows(count: number): AsyncGenerator<Buffer> {
    yield Buffer.from(`${this.header}\n`);
    const chunk = Buffer.from(`${this.row}\n`.repeat(100));
    for (let at = 0; at < count; at += 100) yield chunk;
  },
};

const table = history({ rows: 300, seed: 11 });
const quoted = (table: readonly (readonly string[])[]): string =>
  table.map(fields => `${fields.map(field => `"${field.replaceAll('"', '""')}"`).join(',')}\n`).join('');

/** One file for each feature of CSV: its description → its bytes. */
export const files: ReadonlyMap<string, Buffer> = new Map(
  Object.entries({
    plain: csv(table),
    'every field quoted': quoted(table),
    CRLF: csv(table).replaceAll('\n', '\r\n'),
    'lone CR': csv(table).replaceAll('\n', '\r'),
    'a BOM': `\ufeff${csv(table)}`,
    'a quoted header after a BOM': `\ufeff"monthly amount","plan","__proto__"\n${row}\n`,
    'no line ending at the end': `${header}\n${row}\n${row}`,
    'blank lines': `${header}\n\n${row}\n\r\n\n${row}\n\n`,
    'quoted line endings': `${header},note\n${row},"a\nb"\r\n${row},"\r\n\r\n""x"""\n`.repeat(1),
    'a header without rows': `${header}\n`,
    'a header without a line ending': header,
    'malformed records': `${header}\n${row}\n${malformed}\n${row},more\n"25"x,Basic,3\n${row}\n`,
    'only malformed records': `${header}\n${malformed}\n${malformed}\n`,
    'odd numbers': `${header}\n1e3,Basic,007\n 12 ,Basic,+5\n1e999,Basic,.5\n12345678901234567890,"",-0\n`,
    'unknown categories': `${header}\n1,basic,1\n2, Basic,1\n3,プレミアム,1\n`,
  }).map(([name, text]) => [name, Buffer.from(text)]),
).set('a record that is not UTF-8', Buffer.from(`${header}\n${row}\n25,B\xe9,1\n${row}\n`, 'latin1'));
