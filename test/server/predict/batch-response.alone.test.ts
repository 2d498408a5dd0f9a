import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { free } from '../../../src/models/local/threads/transfer.ts';
import type { PersonaError } from '../../../src/server/predict/encode-personas.ts';
import { BatchResponse, ResponseWriter } from '../../../src/server/predict/serialize-predictions.ts';

const classes = Array.from({ length: 20 }, (_, i) => `class ${i} ${'x'.repeat(100)}`);
const writer = new ResponseWriter({ kind: 'distribution', classes });
const error: PersonaError = { code: 'not_a_persona', message: 'It is not a persona.' };

/** Adds slices of 100 rows in which each tenth row has an error. */
function responseOf(slices: number): BatchResponse {
  const response = new BatchResponse();
  for (let i = 0; i < slices; i++) {
    const errors = new Map(Array.from({ length: 10 }, (_, each) => [10 * each, error] as const));
    const probabilities = Float64Array.from({ length: 100 * classes.length }, (_, at) => (at + i) / 1e6);
    response.add({ rows: 100, errors }, probabilities, writer);
    // The engine uses its memory again.
    probabilities.fill(Number.NaN);
  }
  return response;
}

function bytesFreedBy<T>(action: (value: T) => void, value: T): number {
  const before = process.memoryUsage().arrayBuffers;
  action(value);
  return before - process.memoryUsage().arrayBuffers;
}

test('a small response is one piece', () => {
  const response = responseOf(2);
  assert.ok(response.isWhole);
  const [piece, ...more] = [...response.pieces('two', writer)];
  assert.equal(more.length, 0);
  assert.equal(JSON.parse(String(piece)).predictions.length, 200);
});

test('a large response comes in pieces of a bounded size, and takes the memory of its numbers until then', () => {
  const response = responseOf(100);
  assert.ok(!response.isWhole);
  const pieces = [...response.pieces('two', writer)];
  const text = Buffer.concat(pieces);
  assert.ok(response.bytes < text.length / 4, `${response.bytes} of ${text.length} bytes`);
  const { id, predictions } = JSON.parse(String(text));
  assert.equal(id, 'two');
  assert.equal(predictions.length, 10_000);
  for (const [row, prediction] of predictions.entries())
    if (row % 10 === 0) assert.deepEqual(prediction, { error });
    else {
      const at = (row % 100) * classes.length + 7;
      assert.equal(prediction.probabilities[classes[7] ?? ''], (at + Math.floor(row / 100)) / 1e6);
    }
  const [first = 0, ...others] = pieces.map(({ length }) => length);
  assert.ok(first < 2.1 * 1024 ** 2);
  assert.ok(Math.max(...others) <= 64 * 1024);
});

test('the numbers of a large response are freed as soon as it is closed', async () => {
  // At first, the port that frees them is not closed yet.
  while (bytesFreedBy(free, Buffer.alloc(1 << 20)) === 0) await sleep(1);
  const response = responseOf(1_000);
  const freed = bytesFreedBy(() => response.close(), undefined);
  assert.ok(freed > 15e6, `${freed} bytes`);
});
