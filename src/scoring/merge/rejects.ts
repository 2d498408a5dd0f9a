import type { Layout } from '../../formats/format.ts';
import { RecordKind, startOf } from '../../formats/records/batch.ts';
import { isFaultCode } from '../../formats/records/faults.ts';
import type { Reject } from '../../formats/records/reject.ts';
import type { ScoredBatch } from '../scorer.ts';

/**
 * The rows of a batch that could not be scored, in input order: malformed, or rejected by the service. In a file that is not
 * text, the line of a row is its number.
 */
export function rejectsOf(
  { batch, faults, predictions }: ScoredBatch,
  layout: Pick<Layout, 'contentEnd' | 'countLines' | 'rows'>,
): Reject[] {
  if (faults.size === 0 && predictions.errors.size === 0) return [];
  const rejects: Reject[] = [];
  let persona = 0;
  // Lines are counted from one reject to the next, so that a batch of rejects only takes linear time.
  let { row: nextRow, line } = batch.start;
  let counted = 0;
  for (const [index, kind] of batch.kinds.entries()) {
    if (kind === RecordKind.blank) continue;
    const row = nextRow++;
    const fault = faults.get(index);
    const error = fault === undefined ? predictions.errors.get(persona++) : undefined;
    if (fault === undefined && error === undefined) continue;
    const start = startOf(batch, index);
    if (layout.rows === undefined) line += layout.countLines(batch.bytes, counted, start);
    else line = row;
    counted = start;
    const end = layout.contentEnd(batch.bytes, start, batch.ends[index] ?? start);
    const record = Buffer.from(batch.bytes.subarray(start, end));
    if (fault !== undefined) rejects.push({ row, line, ...fault, record });
    else if (error !== undefined)
      rejects.push({ row, line, code: serviceCode(error.code), reason: error.message, record });
  }
  return rejects;
}

/** A service's reject code. The codes of malformed records mean that a row was not sent, so a service's get a prefix. */
const serviceCode = (code: string): string => (isFaultCode(code) ? `service_${code}` : code);
