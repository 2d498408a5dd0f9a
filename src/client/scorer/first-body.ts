import { contractWire, type Wire } from '../../base/contract/wire-names.ts';
import type { Batch } from '../../formats/records/batch.ts';
import { BodyWriter } from '../bodies/body-writer.ts';
import { type EncodeOptions, encode } from '../bodies/objects.ts';

/** The body of the request for a batch, as JSON. */
export function firstBody(
  batch: Batch,
  options: Pick<EncodeOptions, 'report' | 'features' | 'layout' | 'nulls'> & {
    wire: Partial<Wire> | undefined;
  },
): string {
  const [encoded] = encode({
    ...options,
    wire: { ...contractWire, ...options.wire },
    bodyWriter: new BodyWriter(),
    batchBytes: () => Number.MAX_SAFE_INTEGER,
  })(batch);
  return encoded?.body.toString() ?? '';
}
