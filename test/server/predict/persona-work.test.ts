import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { describe, it, test } from 'node:test';
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
import { get, post, problemOf } from '../../support/service/client.ts';
import { expectedNumbers, importedHome, importedPersona } from '../../support/service/imported-home.ts';
import { persona, serving, trainedHome } from '../../support/service/serving.ts';
import { shared } from '../../support/shared.ts';

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
  const asked = shared(async suite => {
    const home = await trainedHome();
    const target = await serving(suite, { home });
    const client = connectReports({ url: readBaseUrl(target.url, false), key: target.key, name: 'test' });
    const local = new LocalService(home);
    suite.after(() => Promise.all([client.close(), local.close()]));
    return { client: new ReportClient(client), target, local };
  });

  it('names an unknown category and a value of another type, as a local prediction does', async () => {
    const { client, target, local } = asked();
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
    assert.deepEqual(await local.persona('one', features), { probabilities, warnings });
    assert.deepEqual(await client.persona('one', features), { probabilities, warnings });
  });

  it('says nothing of known, missing and padded values', async () => {
    const { client } = asked();
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
    const { target } = asked();
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

  it('is counted in the trailer of an upload, and by a local one', async () => {
    const csv =
      'monthly amount,plan,__proto__\nmuch,x90,1\n1,x91,2\n2, Basic,\n3,Basic,\n,,2\nmany,Basic,\nsome,Basic,\n';
    const { client, local } = asked();
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

const json = async (response: Promise<Response>): Promise<unknown> => (await response).json();

/** All responses are compared with the OpenAPI document. */
describe('the service of an imported report', () => {
  const service = shared(async suite => serving(suite, { home: await importedHome(suite) }));

  it('responds with the numbers that the library predicted', async () => {
    const target = service();
    const expected = await expectedNumbers();
    // JSON has no infinite numbers.
    const hasNumbers = (_: unknown, row: number): boolean =>
      !expected.rows[row]?.some(value => typeof value === 'string');
    const rows = expected.rows.filter(hasNumbers);
    const predictions = expected.predictions.filter(hasNumbers);
    const personas = rows.map(([monthly_charges, age, balance]) => ({
      features: { monthly_charges, age, balance },
    }));
    assert.deepEqual(await json(post(target, '/user/batch-persona', { id: 'number', personas })), {
      id: 'number',
      predictions: predictions.map(([value]) => ({ value })),
    });
  });

  it('responds with one number, several by name, or probabilities, and with the same for one persona', async () => {
    const target = service();
    const members = {
      number: /^\{"value":[\d.]+\}$/,
      numbers: /^\{"values":\{"low":[\d.]+,"high":[\d.]+,"mid":[\d.]+\}\}$/,
      classes: /^\{"probabilities":\{"no":[\d.]+,"yes":[\d.]+\}\}$/,
    };
    for (const [id, expected] of Object.entries(members)) {
      const personas = [importedPersona, { features: { other: 1 } }];
      const batch = Object(await json(post(target, '/user/batch-persona', { id, personas })));
      const [first, second] = batch.predictions;
      assert.match(JSON.stringify(first), expected);
      assert.equal(second.error.code, 'unknown_columns');
      assert.deepEqual(await json(post(target, '/user/persona', { id, ...importedPersona })), {
        id,
        ...first,
      });
    }
  });

  it('warns of values with a number as with probabilities', async () => {
    const target = service();
    const features = { ...importedPersona.features, age: 'old' };
    const answer = Object(await json(post(target, '/user/persona', { id: 'number', features })));
    assert.equal(typeof answer.value, 'number');
    assert.deepEqual(
      answer.warnings.map(({ code, column }: { code: string; column: string }) => [code, column]),
      [['mismatched', 'age']],
    );
  });

  it('has an error in place of a number that is not finite', async () => {
    const target = service();
    const personas = [1, 9, 2].map(x => ({ features: { x } }));
    const wrong = { error: { code: 'wrong_prediction', message: 'the number is Infinity' } };
    assert.deepEqual(await json(post(target, '/user/batch-persona', { id: 'unbounded', personas })), {
      id: 'unbounded',
      predictions: [{ value: Math.E }, wrong, { value: Math.E }],
    });
    const single = await post(target, '/user/persona', { id: 'unbounded', features: { x: 9 } });
    assert.equal(await problemOf(single), '422 wrong_prediction');
    const upload = (body: string, type: string) =>
      post(target, '/user/batch-predict?id=unbounded', body, { 'content-type': type });
    assert.equal(await (await upload('x\n1\n9\n', 'text/csv')).text(), `x,prediction\n1,${Math.E}\n9,\n`);
    assert.equal(
      await (await upload('{"x":9}\n{"x":1}\n', 'application/x-ndjson')).text(),
      `{"x":9,"prediction":null}\n{"x":1,"prediction":${Math.E}}\n`,
    );
  });

  it('tells what the report predicts, and that there are no testing results', async () => {
    const target = service();
    const report = async (id: string) => Object(await json(get(target, `/user/report/${id}`)));
    const number = await report('number');
    assert.deepEqual([number.predicts, number.numbers, number.classes], ['amount', [], undefined]);
    assert.deepEqual((await report('numbers')).numbers, ['low', 'high', 'mid']);
    const classes = await report('classes');
    assert.deepEqual(
      [classes.classes, classes.numbers, classes.quality],
      [['no', 'yes'], undefined, undefined],
    );
    for (const id of ['number', 'classes'])
      assert.equal(
        await problemOf(await get(target, `/user/testing-results/${id}`)),
        '404 no_testing_results',
      );
  });
});
