import { parse } from 'csv-parse/sync';
import { parquetMetadata, parquetReadObjects, parquetSchema } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import type { InputFormat } from './score-mutated.ts';

/**
 * Reads an output as other programs do.
 *
 * @param copies whether columns of the input were copied: those are as damaged as they were, so only the new ones are
 *   read
 * @returns why one of them refuses it
 */
export async function readByOthers(
  format: InputFormat,
  output: Buffer,
  copies: boolean,
): Promise<string | undefined> {
  try {
    if (format === 'csv') readCsv(output);
    else if (format === 'jsonl') readLines(output);
    else await readParquet(output, copies);
    return undefined;
  } catch (error) {
    return `${format} is refused: ${error instanceof Error ? error.message : error}`;
  }
}

/**
 * Quotes within a field that does not begin with one, and blank lines that end in another way, are kept as they are in
 * the input.
 */
function readCsv(output: Buffer): void {
  const delimiters = output.includes('\n') ? ['\r\n', '\n'] : ['\r'];
  parse(output, { bom: true, relax_quotes: true, skip_empty_lines: true, record_delimiter: delimiters });
}

function readLines(output: Buffer): void {
  for (const line of output.toString().split('\n')) if (line.trim() !== '') JSON.parse(line);
}

async function readParquet(output: Buffer, copies: boolean): Promise<void> {
  const { buffer, byteOffset, byteLength } = output;
  const file = buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer; // a Buffer is not shared
  const { children } = parquetSchema(parquetMetadata(file));
  const names = children.map(({ element }) => element.name);
  const columns = copies ? names.filter(name => /^(probability|predicted)_/.test(name)) : names;
  await parquetReadObjects({ file, compressors, columns });
}
