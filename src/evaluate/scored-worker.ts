import { parentPort, workerData } from 'node:worker_threads';
import { postMessage, postResult } from '../base/thread-result.ts';
import { copyBytes } from '../formats/bytes/word-view.ts';
import { type PostedBatch, partsOfBatch } from './scored-ahead.ts';
import { type EvaluatedBatch, type ScoredFiles, ScoredRows } from './scored-rows.ts';

/** The most memory of batches that are read ahead. */
const AHEAD_BYTES = 32 << 20;

/** Memory of batches that came back, and how many bytes of others have not. */
const free: SharedArrayBuffer[] = [];
let away = 0;
let wake = (): void => {};

// Only `ScoredAhead` posts here.
parentPort?.on('message', (memory: SharedArrayBuffer) => {
  away -= memory.byteLength;
  free.push(memory);
  wake();
});

/** Memory of a size, when there is room for it. */
async function take(bytes: number): Promise<SharedArrayBuffer> {
  while (away > 0 && away + bytes > AHEAD_BYTES)
    await new Promise<void>(resolve => {
      wake = resolve;
    });
  const used = free.pop();
  // Batches differ a little.
  const memory =
    used !== undefined && used.byteLength >= bytes ? used : new SharedArrayBuffer(bytes + (bytes >> 3));
  away += memory.byteLength;
  return memory;
}

async function post({
  rows,
  numbers,
  words,
  starts,
  ends,
  hashes,
  values,
  read,
}: EvaluatedBatch): Promise<void> {
  const hasKeys = starts.length > 0;
  let keyBytes = 0;
  if (hasKeys)
    for (let row = 0; row < rows; row++) keyBytes += (ends[row] as number) - (starts[row] as number);
  const keys = hasKeys ? 2 * rows : 0;
  const bytes = numbers.byteLength + (keys + 1) * Int32Array.BYTES_PER_ELEMENT + keyBytes;
  const memory = await take(bytes);
  const batch = { memory, rows, numbers: numbers.length, hasKeys, keyBytes };
  const into = partsOfBatch(batch);
  into.numbers.set(numbers);
  if (hasKeys) {
    into.hashes.set(hashes.subarray(0, rows));
    let to = 0;
    for (let row = 0; row < rows; row++) {
      to = copyBytes(words, starts[row] as number, ends[row] as number, into.words, to);
      into.bounds[row + 1] = to;
    }
    into.bounds[0] = 0;
  }
  postMessage<PostedBatch>({ ...batch, values, read });
}

// Only `ScoredAhead` starts this file, with ScoredFiles.
await postResult(async () => {
  const rows = await ScoredRows.open(workerData as ScoredFiles);
  for await (const batch of rows.batches()) await post(batch);
  return null;
});
