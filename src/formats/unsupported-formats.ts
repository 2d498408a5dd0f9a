import { RowcastError } from '../base/errors.ts';
import { schemeOf } from '../base/scheme.ts';
import { shellWord } from '../base/shell-word.ts';
import { printCommand } from './print-command.ts';

/** A format that is not read. */
interface OtherFormat {
  readonly is: string;
  /** How its files begin, in hex. */
  readonly begins: RegExp;
  /**
   * The command that makes CSV of it.
   *
   * @param file a word of a shell, empty for stdin
   */
  readonly command: (file: string) => string;
}

const decompressedBy =
  (program: string): OtherFormat['command'] =>
  file =>
    `${program} -dc ${file}`.trim();

/** Formats by how their files begin, which no plausible CSV does. */
const FORMATS: readonly OtherFormat[] = [
  // RFC 8878, sections 3.1.1 and 3.1.2: a frame, or one to be skipped.
  { is: 'compressed with zstd', begins: /^(?:28b52ffd|5.2a4d18)/, command: decompressedBy('zstd') },
  // The .xz file format, section 2.1.1.1.
  { is: 'compressed with xz', begins: /^fd377a585a00/, command: decompressedBy('xz') },
  // The LZ4 frame format, general structure.
  { is: 'compressed with lz4', begins: /^04224d18/, command: decompressedBy('lz4') },
  // `BZh`, a digit, and the digits of pi before a block, or those of its root at the end.
  {
    is: 'compressed with bzip2',
    begins: /^425a683[1-9](?:314159265359|177245385090)/,
    command: decompressedBy('bzip2'),
  },
  // APPNOTE.TXT, sections 4.3.7 and 4.3.16: a file, or the end of an empty archive. unzip does not read stdin.
  {
    is: 'a zip archive',
    begins: /^504b(?:0304|0506)/,
    command: file => (file === '' ? 'bsdtar -xOf -' : `unzip -p ${file}`),
  },
];

/** `PAR1`, and a 32-bit field (Thrift's compact protocol): of a page, or of the metadata of a file without rows. */
const PARQUET_BEGINS = /^5041523115/;

const JSON_BEGINS = /^\s*(?:\[\s*)?\{\s*"(?:[^"\\]|\\.)*"\s*:/;

/** Bytes of a file that are looked at. */
const HEAD_BYTES = 512;

/**
 * Refuses files of other formats, which a user may have taken for CSV, by their first bytes.
 *
 * @param file its name, or `stdin`
 * @throws RowcastError `not_csv`, with the command that makes CSV of it, or the name that it should have
 */
export function refuseOtherFormats(bytes: Buffer, file: string): void {
  const isUrl = schemeOf(file) !== undefined;
  const name = file === 'stdin' || isUrl ? '' : shellWord(file);
  // An object is printed by a command of its store, and arrives as stdin.
  const printed = isUrl ? printCommand(file) : undefined;
  const piped = (command: string): string => (printed === undefined ? command : `${printed} | ${command}`);
  const hex = bytes.toString('hex', 0, HEAD_BYTES);
  if (PARQUET_BEGINS.test(hex))
    throw notCsv('Parquet', file, 'Give it a name that ends in .parquet, and it is read as such.');
  const found = FORMATS.find(({ begins }) => begins.test(hex));
  if (found !== undefined) throw notCsv(found.is, file, madeBy(piped(found.command(name))));
  // A byte order mark is white space.
  if (JSON_BEGINS.test(bytes.toString('utf8', 0, HEAD_BYTES)))
    throw notCsv('JSON', file, madeBy(piped(`mlr --ijson --ocsv cat ${name}`.trim())));
}

const madeBy = (command: string): string =>
  `Make CSV of it in a pipe, with - as the input: ${command} | rowcast …`;

const notCsv = (is: string, file: string, hint: string): RowcastError =>
  new RowcastError('not_csv', `the file is ${is}, not CSV`, { location: { file }, hint });
