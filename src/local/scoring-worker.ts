import { parentPort } from 'node:worker_threads';
import type { Batch } from '../formats/csv/batch.ts';
import { toThreadError } from '../thread-error.ts';
import { openInput } from './open-input.ts';
import type { RecordScorer } from './record-scorer.ts';
import type { ThreadRequest, ThreadResponse } from './thread-messages.ts';

if (parentPort === null) throw new Error('this file runs in a worker thread only');
const port = parentPort;
const respond = (response: ThreadResponse, memory: ArrayBuffer[] = []): void =>
  port.postMessage(response, memory);

const inputs = new Map<number, Promise<RecordScorer>>();

// Only `ScoringThread` starts this file, and it sends only ThreadRequests.
port.on('message', async (request: ThreadRequest) => {
  const { kind, input } = request;
  if (kind === 'close') inputs.delete(input);
  else if (kind === 'open') {
    const opened = openInput(request.data, { isBulk: true });
    opened.catch(() => {}); // the input's batches report it
    inputs.set(input, opened);
  } else {
    const { id, batch } = request;
    try {
      const scorer = await inputs.get(input);
      if (scorer === undefined) throw new Error('the input is not open');
      const scored = scorer.score(withBuffer(batch));
      respond({ kind: 'scored', id, scored }, scored.merged && ownedBy(scored.merged.bytes));
    } catch (error) {
      respond({ kind: 'failed', id, failure: toThreadError(error) });
    }
  }
});

/** Structured cloning makes a Uint8Array of a Buffer. */
const withBuffer = (batch: Batch): Batch => ({
  ...batch,
  bytes: Buffer.from(batch.bytes.buffer, batch.bytes.byteOffset, batch.bytes.length),
});

/** The memory of a buffer, if nothing else is in it: it is passed on instead of being copied. */
function ownedBy({ buffer, length }: Buffer): ArrayBuffer[] {
  const isOwn = buffer instanceof ArrayBuffer && length > Buffer.poolSize >>> 1;
  return isOwn ? [buffer] : [];
}

respond({ kind: 'ready' });
