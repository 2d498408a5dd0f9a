import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { loadReport } from '../../../src/models/store/report-model.ts';
import { JsonReader } from '../../../src/server/predict/json-reader.ts';
import { countAhead, PersonaWork } from '../../../src/server/predict/persona-work.ts';
import { predictorOf } from '../../../src/server/predict/predictor.ts';
import { persona, trainedHome } from '../../support/service/serving.ts';

/** A list of items, entered. */
function listOf(items: readonly unknown[]): JsonReader {
  const json = new JsonReader(Buffer.from(JSON.stringify(items)), 1e6);
  assert.ok(json.enter());
  return json;
}

/** The count, after all its slices. */
function counted(json: JsonReader, most: number, sliceBytes: number): number {
  const counting = countAhead(json, most, sliceBytes);
  for (;;) {
    const { value } = counting.next();
    if (value !== undefined) return value;
  }
}

describe('a list that is counted ahead', () => {
  it('is refused with one item too many, in slices of any size, and is not moved', () => {
    for (const bytes of [1, 100, 1e6])
      for (const [count, isTooLong] of [[500, false] as const, [501, true] as const]) {
        const json = listOf(Array.from({ length: count }, (_, i) => ({ a: [i] })));
        const { at, members } = json;
        assert.equal(counted(json, 500, bytes) > 500, isTooLong, `${count} items, ${bytes} bytes`);
        assert.deepEqual([json.at, json.members], [at, members]);
      }
  });

  it('is counted no further than a few items if it cannot be too long', t => {
    const json = listOf(Array.from({ length: 1_000 }, (_, i) => i));
    const skip = t.mock.method(json, 'skip');
    counted(json, 10_000, 1e6);
    assert.equal(skip.mock.callCount(), 64);
  });

  it('tells how many items it probably has', () => {
    for (const [count, most] of [[10, 10_000] as const, [500, 500] as const, [1_000, 10_000] as const]) {
      const found = counted(listOf(Array.from({ length: count }, () => ({ a: 1 }))), most, 100);
      assert.ok(Math.abs(found - count) <= 1, `${found} for ${count}`);
    }
  });
});

describe('a request with too many personas', () => {
  it('is refused before any of them is scored', async t => {
    const predictor = predictorOf(await loadReport(await trainedHome(), 'one'));
    t.after(() => predictor.engine.unload());
    const predict = t.mock.method(predictor.engine, 'predict');
    const personas = Array.from({ length: 10_001 }, () => persona);
    const work = new PersonaWork(Buffer.from(JSON.stringify({ id: 'one', personas })), 'personas');
    assert.throws(
      () => {
        while (work.next(predictor).body === undefined);
      },
      { code: 'too_many_personas' },
    );
    assert.equal(predict.mock.callCount(), 0);
  });
});

test('a large batch announces the memory of its response before any persona is scored, a small one does not', async t => {
  const predictor = predictorOf(await loadReport(await trainedHome(), 'one'));
  t.after(() => predictor.engine.unload());
  const predict = t.mock.method(predictor.engine, 'predict');
  const workOf = (count: number): PersonaWork => {
    const personas = Array.from({ length: count }, () => persona);
    return new PersonaWork(Buffer.from(JSON.stringify({ id: 'one', personas })), 'personas');
  };
  const large = workOf(9_000);
  let slice = large.next(predictor);
  while (slice.bytes === 0) slice = large.next(predictor);
  assert.deepEqual([slice.rows, slice.body, predict.mock.callCount()], [0, undefined, 0]);
  const announced = slice.bytes;
  while (slice.body === undefined) slice = large.next(predictor);
  assert.ok(Math.abs(slice.bytes / announced - 1) < 0.01, `${announced} announced, ${slice.bytes} taken`);
  assert.equal(workOf(100).next(predictor).rows, 100);
});
