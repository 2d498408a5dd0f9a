import { gzipSync } from 'node:zlib';
import type { Random } from '../../../fixtures/random.ts';

/** A kind of input: how it is written, and the options that it needs. */
export interface InputKind {
  name: string;
  /** Of its file. */
  suffix: string;
  options: readonly string[];
  encode(text: string): Buffer;
}

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');

export const inputKinds: readonly InputKind[] = [
  { name: 'CSV', suffix: '.csv', options: [], encode: bytes },
  { name: 'CSV with a BOM', suffix: '.csv', options: [], encode: text => bytes(`\xef\xbb\xbf${text}`) },
  { name: 'gzip', suffix: '.csv.gz', options: [], encode: text => gzipSync(bytes(text), { level: 1 }) },
  {
    name: 'semicolons',
    suffix: '.csv',
    options: ['--delimiter', ';'],
    encode: text => bytes(text.replaceAll(',', ';')),
  },
  { name: 'windows-1252', suffix: '.csv', options: ['--encoding', 'windows-1252'], encode: bytes },
];

/** Fields of a row after its id, each with something that makes records hard to find or rows hard to read. */
const notes: readonly ((random: Random) => string)[] = [
  () => '',
  random => 'x'.repeat(random.whole(0, 300)),
  () => '"a, comma"',
  () => '"some ""quotes"", doubled"',
  () => '"two\nlines"',
  () => '"three\r\nlines\n"',
  () => '"a blank\n\nline"',
  () => '""',
  () => ' spaces ',
  () => 'Gr\xc3\xb6\xc3\x9fe',
  random => `"${'long, '.repeat(random.whole(1, 2000))}"`,
];

/** Rows that are rejected, or that are none. */
const problems: readonly ((row: number) => string)[] = [
  row => `${row},too few`,
  row => `${row},1,Basic,too,many,fields`,
  row => `${row},1.5,"Basic" so to say,misquoted`,
  row => `${row},1.5,Ba"sic,a quote within`,
  row => `${row},1.5,Basic,not UTF-8 \xff\xfe`,
  row => `${row},1.5,Basic,a zero \0`,
  row => `${row},not a number,Unknown plan,`,
  () => '',
  () => '\n\r\n',
  () => '   ',
  () => '"",,,',
];

/** Rows with every kind of problem at random places, with both line endings; sometimes none at the end. */
export function hostileText(random: Random, size: number): string {
  const lines = ['id,monthly amount,plan,note\n'];
  for (let row = 1, length = 0; length < size; row++) {
    const note = random.pick(notes)(random);
    const line = random.chance(0.05)
      ? random.pick(problems)(row)
      : `${row},${row % 90}.5,${row % 3 === 0 ? 'Basic' : 'Plus'},${note}`;
    const ending = random.chance(0.2) ? '\r\n' : '\n';
    lines.push(line + ending);
    length += line.length + ending.length;
  }
  const text = lines.join('');
  return random.chance(0.5) ? text : text.replace(/\r?\n$/, '');
}
