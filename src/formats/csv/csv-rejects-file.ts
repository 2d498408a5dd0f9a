import type { ColumnOptions } from '../column-options.ts';
import type { Layout, RejectsFile } from '../format.ts';
import { type OutputColumns, outputColumns } from '../output-columns.ts';
import type { ReadOptions } from '../read-options.ts';
import type { ByteSource } from '../records/byte-source.ts';
import { chunksAfter } from '../records/chunks-after.ts';
import { rejectColumns } from '../records/reject-columns.ts';
import { csvComparison } from './csv-comparison.ts';
import { type Header, readBytes } from './header.ts';
import { type Head, readHead } from './read-head.ts';
import { rejectEnding } from './reject-records.ts';

/** The layout of a header, and the header of a layout. */
export interface HeaderLayouts {
  layoutOf(header: Header, columns?: OutputColumns): Layout;
  headerOf(layout: Layout): Header;
}

/**
 * A rejects file, by its header.
 *
 * @returns undefined if it is not the header of a rejects file
 */
export function csvRejectsFile(
  header: Header,
  options: ColumnOptions,
  file: string,
  { layoutOf, headerOf }: HeaderLayouts,
): RejectsFile | undefined {
  const { bytes, contentStart, names, dialect } = header;
  const before = rejectColumns.map(name => name + dialect.delimiter).join('');
  const own = contentStart + before.length;
  if (bytes.toString('latin1', contentStart, own) !== before) return undefined;
  const input: Header = {
    ...header,
    bytes: Buffer.concat([bytes.subarray(0, contentStart), bytes.subarray(own)]),
    contentEnd: header.contentEnd - before.length,
    names: names.slice(rejectColumns.length),
  };
  const hasHeader = options.outputHeader !== false;
  return {
    input: layoutOf(input, outputColumns(input, options, file)),
    ending: rejectEnding(input),
    hasColumnsOf: other => contentOf(headerOf(other)).equals(contentOf(header)),
    async readCorrections(source, read) {
      const { loneCr } = dialect;
      const { header: found, rest } = await (hasHeader
        ? readHead(source, read)
        : readCorrectedHead(source, { ...read, loneCr }));
      return { layout: layoutOf(found), rest };
    },
    compareCorrections(correctedLayout, outputLayout, outputFile) {
      const [corrected, output] = [headerOf(correctedLayout), headerOf(outputLayout)];
      const expected = Buffer.concat([Buffer.from(before), contentOf(output)]);
      if (hasHeader && !contentOf(corrected).equals(expected))
        return { wrong: `the header is not ${before} followed by that of ${outputFile}` };
      // Without a header and rows, nothing tells the columns of the output.
      const { length } = output.names;
      const wanted = length === 0 ? undefined : rejectColumns.length + length;
      const { length: found } = corrected.names;
      if (wanted !== undefined && found > 0 && found !== wanted)
        return { wrong: `there are ${found} columns, but with those of ${outputFile} ${wanted}` };
      const outputHeader = corrected.instead === undefined;
      return csvComparison(
        header,
        outputColumns(header, { ...options, outputHeader }, file),
        corrected,
        file,
      );
    },
  };
}

const contentOf = ({ bytes, contentStart, contentEnd }: Header): Buffer =>
  bytes.subarray(contentStart, contentEnd);

/**
 * Reads the head of the corrections of an output without a header: they may have been scored with that option too. Then
 * they begin with a row, and so with its number.
 */
async function readCorrectedHead(source: ByteSource, options: ReadOptions): Promise<Head> {
  const head = await readHead(source, { ...options, names: 'numbers' });
  const { rest, header } = head;
  const isRow = /^\W?\d/.test(rest.toString('latin1', 0, 2));
  if (isRow || header.names.length === 0) return head;
  const { name, contentName } = source;
  const chunks = chunksAfter(Buffer.concat([readBytes(header), rest]), source.chunks);
  return readHead({ name, contentName, chunks }, options);
}
