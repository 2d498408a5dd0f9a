import { RowcastError } from '../base/errors.ts';
import { asInput, isPath, type PipedFile, pathWord, pipeOf } from '../base/shell-pipe.ts';
import {
  type FileConversion,
  type FirstBytes,
  RECOGNIZED_BYTES,
  unsupportedFiles,
} from '../base/unsupported-files.ts';

/** `PAR1`, and a 32-bit field (Thrift's compact protocol): of a page, or of the metadata of a file without rows. */
const PARQUET = 'PAR1\x15';

/** Bytes without control characters. */
const TEXT = /^[\t\r\n\x20-\x7e\x80-\xff]+$/;

const JSON_LINE = /^\{\s*"(?:[^"\\]|\\.)*"\s*:/;

/**
 * Refuses files that a user may have taken for one of a format, by their first bytes.
 *
 * @param bytes as many as were read of its beginning, decompressed
 * @param expected the format that is read
 * @throws RowcastError `unsupported_format`, with the command that converts it, or the name that it should have
 */
export function refuseUnsupported(
  bytes: Buffer,
  source: PipedFile,
  expected: 'CSV' | 'JSON lines' | 'Parquet',
): void {
  const first = firstBytes(bytes);
  const refuse = (is: string, hint: string): never => {
    throw new RowcastError('unsupported_format', `the file is ${is}, not ${expected}`, {
      location: { file: source.name },
      hint,
    });
  };
  if (expected !== 'Parquet' && first.latin1.startsWith(PARQUET))
    refuse('Parquet', 'Give it a name that ends in .parquet, and it is read as such.');
  for (const { is, begins, conversion, caution } of unsupportedFiles)
    if (begins?.(first) === true)
      refuse(is, [caution, conversion && convertedBy(conversion, first, source)].filter(Boolean).join(' '));
  if (expected === 'Parquet' && TEXT.test(first.latin1) && !PARQUET.startsWith(first.latin1.slice(0, 4)))
    refuse(
      'text',
      `Read it as such, with ${JSON_LINE.test(first.text) ? '--input-format jsonl, or a name that ends in .jsonl' : '--input-format csv, or a name that ends in .csv'}.`,
    );
  if (expected === 'CSV' && JSON_LINE.test(first.text))
    refuse(
      'JSON',
      'If it has an object on each line, use --input-format jsonl, or a name that ends in .jsonl.',
    );
}

function firstBytes(all: Buffer): FirstBytes {
  const bytes = all.subarray(0, RECOGNIZED_BYTES);
  return {
    bytes,
    latin1: bytes.toString('latin1'),
    // A byte order mark is white space.
    text: bytes.toString('utf8').trimStart(),
  };
}

/** What to do about a file, as a sentence. */
function convertedBy(
  conversion: FileConversion,
  first: FirstBytes,
  { name, decodedBy = [] }: PipedFile,
): string {
  const isPlain = isPath(name) && decodedBy.length === 0;
  if ('print' in conversion) {
    const command = isPlain
      ? conversion.print(pathWord(name), first)
      : pipeOf(name, [...decodedBy, conversion.print('', first)]);
    return `Convert it in a pipe, ${asInput(decodedBy)}: ${command} | rowcast …`;
  }
  if (!isPlain)
    return `Save it as FILE${decodedBy.length === 0 ? '' : ', decompressed'}, and convert that: ${conversion.write('FILE', `FILE.${conversion.suffix}`)}`;
  // A name that no other file has.
  const made = `${name}.${conversion.suffix}`;
  return `Convert it, then use the new file: ${conversion.write(pathWord(name), pathWord(made))}`;
}
