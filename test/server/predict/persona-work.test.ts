import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { before, describe, it, type TestContext, test } from 'node:test';
import { parseRowCounts } from '../../../src/base/contract/row-counts-trailer.ts';
import { classesResponse } from '../../../src/base/contract/schemas.ts';
import { readBaseUrl } from '../../../src/client/base-url.ts';
import { connectReports, ReportClient } from '../../../src/client/protocols/report/report-client.ts';
import { Client as LibraryClient } from '../../../src/index.ts';
import { LocalService } from '../../../src/models/local/local-service.ts';
import { loadReport } from '../../../src/models/store/report-model.ts';
import { JsonReader } from '../../../src/server/predict/json-reader.ts';
import { countAhead, PersonaWork } from '../../../src/server/predict/persona-work.ts';
import { predictorOf } from '../../../src/server/predict/predictor.ts';
import { post } from '../../support/service/client.ts';
import { persona, serving, trainedHome } from '../../support/service/serving.ts';

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

const known = { 'monthly amount': 12.5, plan: 'Basic' };

describe('what a service says about values that its model does not know', () => {
  let home: string;
  before(async () => {
    home = await trainedHome();
  });

  async function clientOf(t: TestContext) {
    const target = await serving(t, { home });
    const client = connectReports({ url: readBaseUrl(target.url, false), key: target.key, name: 'test' });
    t.after(() => client.close());
    return { client: new ReportClient(client), target };
  }

  it('names an unknown category and a value of another type, as a local prediction does', async t => {
    const { client, target } = await clientOf(t);
    const features = { 'monthly amount': 'much', plan: 'x90' };
    const response = await post(target, '/user/persona', { id: 'one', features });
    const { warnings, probabilities } = classesResponse.parse(await response.json());
    assert.deepEqual(
      warnings?.map(({ code, column }) => [column, code]),
      [
        ['monthly amount', 'mismatched'],
        ['plan', 'unseen'],
      ],
    );
    assert.match(
      warnings?.[0]?.message ?? '',
      /^the value of "monthly amount" is not a number: it counts as missing$/,
    );
    const local = new LocalService(home);
    t.after(() => local.close());
    assert.deepEqual(await local.persona('one', features), { probabilities, warnings });
    assert.deepEqual(await client.persona('one', features), { probabilities, warnings });
  });

  it('says nothing of known, missing and padded values', async t => {
    const { client } = await clientOf(t);
    const predicted = await client.persona('one', known);
    assert.deepEqual(predicted.warnings, []);
    for (const features of [
      { ...known, plan: ' Basic ' },
      { ...known, plan: 'Basic\t', 'monthly amount': ' 12.5' },
    ])
      assert.deepEqual(await client.persona('one', features), predicted);
    const missing = await client.persona('one', { 'monthly amount': 'N/A', plan: null });
    assert.deepEqual(missing.warnings, []);
  });

  it('is what the library calls back with', async t => {
    const { target } = await clientOf(t);
    const client = new LibraryClient({ url: target.url, key: target.key });
    t.after(() => client.close());
    const columns: string[] = [];
    const onWarnings = (warnings: readonly { column: string }[]) =>
      void columns.push(...warnings.map(({ column }) => column));
    await client.persona('one', known, { onWarnings });
    assert.deepEqual(columns, []);
    await client.persona('one', { ...known, plan: 'x90' }, { onWarnings });
    assert.deepEqual(columns, ['plan']);
  });

  it('is counted in the trailer of an upload, and by a local one', async t => {
    const csv =
      'monthly amount,plan,__proto__\nmuch,x90,1\n1,x91,2\n2, Basic,\n3,Basic,\n,,2\nmany,Basic,\nsome,Basic,\n';
    const local = new LocalService(home);
    t.after(() => local.close());
    const { client } = await clientOf(t);
    for (const service of [client, local]) {
      const chunks = (async function* () {
        yield Buffer.from(csv);
      })();
      const scored = await service.batchPredict(
        'one',
        { bytes: chunks, format: 'csv', name: 'in.csv' },
        undefined,
      );
      await buffer(scored.chunks);
      assert.deepEqual(scored.rowCounts(), {
        ...scored.rowCounts(),
        read: 7,
        scored: 7,
        mismatched: 3,
        unseen: 2,
      });
    }
    assert.equal(parseRowCounts('read=1, scored=1, rejected=0')?.unseen, undefined);
  });
});
