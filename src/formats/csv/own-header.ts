import { writeRow } from '../../base/write-row.ts';
import { type OutputColumns, renamed } from '../output-columns.ts';
import { fieldEnd } from './fields/count-fields.ts';
import type { Header } from './header.ts';

/** The input's part of the output's header: columns that keep their name keep their bytes. */
export function ownHeader(header: Header, columns: OutputColumns | undefined): Buffer {
  const { bytes, contentStart, contentEnd, names, dialect } = header;
  if (columns === undefined) return bytes.subarray(0, contentEnd);
  const delimiter = Buffer.from(dialect.delimiter);
  const fields: Buffer[] = [];
  for (let at = contentStart; fields.length < names.length; ) {
    const end = fieldEnd(bytes, at, contentEnd, dialect);
    fields.push(bytes.subarray(at, end));
    at = end + 1;
  }
  const kept = columns.kept ?? names.map((_, index) => index);
  const parts = kept.flatMap((index, place) => {
    const name = names[index] ?? '';
    const to = renamed(name, columns);
    const field = to === name ? fields[index] : Buffer.from(writeRow([to], dialect).slice(0, -1));
    return [...(place === 0 ? [] : [delimiter]), field ?? Buffer.alloc(0)];
  });
  return Buffer.concat([bytes.subarray(0, contentStart), ...parts]);
}
