import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadReport } from '../../../src/models/store/report-model.ts';
import { CountAhead } from '../../../src/server/predict/count-ahead.ts';
import { JsonReader } from '../../../src/server/predict/json-reader.ts';
import { PersonaWork } from '../../../src/server/predict/persona-work.ts';
import { predictorOf } from '../../../src/server/predict/predictor.ts';
import { persona, trainedHome } from '../../support/service/serving.ts';

/** A list of items, entered. */
function listOf(items: readonly unknown[]): JsonReader {
  const json = new JsonReader(Buffer.from(JSON.stringify(items)), 1e6);
  assert.ok(json.enter());
  return json;
}

describe('a list that is counted ahead', () => {
  it('is refused with one item too many, in slices of any size, and is not moved', () => {
    for (const bytes of [1, 100, 1e6])
      for (const [count, isTooLong] of [[500, false] as const, [501, true] as const]) {
        const json = listOf(Array.from({ length: count }, (_, i) => ({ a: [i] })));
        const { at, members } = json;
        const ahead = new CountAhead(json, 500);
        let found = false;
        while (!found && !ahead.isDone) found = ahead.next(bytes);
        assert.equal(found, isTooLong, `${count} items, ${bytes} bytes`);
        assert.deepEqual([json.at, json.members], [at, members]);
      }
  });

  it('is counted no further than a few items if it cannot be too long', () => {
    const ahead = new CountAhead(listOf(Array.from({ length: 1_000 }, (_, i) => i)), 10_000);
    assert.equal(ahead.next(1e6), false);
    assert.ok(ahead.isDone);
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
