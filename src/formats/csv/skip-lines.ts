import { RowcastError } from '../../base/errors.ts';
import { countOf } from '../../base/number-text.ts';
import { CR, LF } from '../records/line-endings.ts';

/**
 * Offset after the first lines, each of which ends in LF, CRLF or a lone CR.
 *
 * @param last whether `bytes` is the whole file
 * @returns undefined if more bytes are needed
 * @throws RowcastError `bad_option` if there are not as many lines, or they are too long
 */
export function afterLines(
  bytes: Buffer,
  count: number,
  last: boolean,
  { file, maxRecordBytes }: { file: string; maxRecordBytes: number },
): number | undefined {
  let at = 0;
  for (let lines = 0; lines < count; lines++) {
    while (at < bytes.length && bytes[at] !== LF && bytes[at] !== CR) at++;
    const endsHere = at < bytes.length && (bytes[at] === LF || at + 1 < bytes.length || last);
    if (!endsHere && at > Math.max(maxRecordBytes, MAX_BYTES))
      throw refused(`the lines are longer than ${countOf(at, 'byte')}`, file);
    if (!endsHere && last) throw refused(`the input has no more than ${countOf(lines + 1, 'line')}`, file);
    if (!endsHere) return undefined;
    at += bytes[at] === CR && bytes[at + 1] === LF ? 2 : 1;
  }
  return at;
}

/** Lines before a header are a title, notes or a licence. */
const MAX_BYTES = 1 << 20;

const refused = (what: string, file: string): RowcastError =>
  new RowcastError('bad_option', `--skip-lines: ${what}`, {
    location: { file },
    hint: 'Leave out only what is before the header.',
  });
