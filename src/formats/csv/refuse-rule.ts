import { RowcastError } from '../../base/errors.ts';
import type { PipedFile } from '../../base/shell-pipe.ts';
import { filteredBy } from '../filtered-by.ts';
import { LF } from '../records/line-endings.ts';
import { afterHeader, asLines, type Header } from './header.ts';

/** The longest line that is looked at. */
const MAX_BYTES = 4096;

/**
 * Refuses a line of dashes under the header, as in tables for people: it is no row.
 *
 * @param first bytes after the header
 * @throws RowcastError `bad_header`
 */
export function refuseRule(header: Header, first: Buffer, file: PipedFile): void {
  if (header.instead !== undefined || (first[0] !== 0x2d && first[0] !== 0x3d && first[0] !== 0x22)) return;
  const end = first.indexOf(LF);
  const text = first.toString('latin1', 0, Math.min(end === -1 ? first.length : end, MAX_BYTES)).trimEnd();
  const fields = text.split(header.dialect.delimiter);
  if (fields.length !== header.names.length || !fields.every(field => /^"?[-=]{3,}"?$/.test(field.trim())))
    return;
  const { line } = afterHeader(header);
  throw new RowcastError('bad_header', 'the line under the header has only dashes, so it is no row', {
    location: { file: file.name, line },
    hint: filteredBy(file, ...asLines(header), `sed ${line}d`),
  });
}
