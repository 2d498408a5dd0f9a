import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { batchResponse } from '../../../src/base/contract/schemas.ts';
import type { LearnedColumn } from '../../../src/formats/columns/column-encoder.ts';
import type { CompiledModel } from '../../../src/models/model/compiled-model.ts';
import type { EngineModel } from '../../../src/models/model/engine.ts';
import type { Model } from '../../../src/models/model/model-file.ts';
import { ModelCache } from '../../../src/server/predict/model-cache.ts';
import { workLimits } from '../../../src/server/predict/predictor.ts';
import { seededRandom } from '../../../src/training/seeded-random.ts';
import { get, post, problemOf } from '../../support/service/client.ts';
import { persona, serving } from '../../support/service/serving.ts';
import { upload } from '../../support/service/upload.ts';
import { header, row } from '../../support/service/uploads.ts';
import { slow } from '../../support/slow.ts';

/** A model of this shape, which cannot predict. */
function modelOf(shape: { columns: number; trees: number; classes?: number; className?: string }): Model {
  const { columns, trees, classes = 2, className = 'class' } = shape;
  return {
    columns: Array.from(
      { length: columns },
      (_, i) => ({ name: `c${i}`, type: 'numerical' }) as LearnedColumn, // as much of one as its work needs
    ),
    prediction: {
      kind: 'distribution',
      classes: Array.from({ length: classes }, (_, i) => `${className} ${i}`),
    },
    engine: { width: classes, shape: () => ({ trees, depth: 5 }) } as EngineModel, // never predicts here
    predictor: {} as CompiledModel, // never read here
    bytes: 1,
  };
}

test('the limit of personas per request falls as the work per persona grows; usual reports have the full limit', () => {
  const personasOf = (model: Model): number => workLimits(model).maxPersonas;
  assert.equal(personasOf(modelOf({ columns: 20, trees: 300 })), 10_000);
  assert.equal(personasOf(modelOf({ columns: 1000, trees: 300 })), 10_000);
  assert.ok(personasOf(modelOf({ columns: 5000, trees: 300 })) < 10_000);
  assert.ok(personasOf(modelOf({ columns: 20, trees: 30_000, classes: 100 })) < 2_000);
  // The rows of a usual batch are accepted for every report.
  assert.ok(personasOf(modelOf({ columns: 10_000, trees: 30_000, classes: 100 })) >= 1_000);
  // A client could not read a response with longer names.
  const long = modelOf({ columns: 20, trees: 300, classes: 100, className: 'x'.repeat(1000) });
  assert.ok(personasOf(long) * 100 * 1000 <= 64 * 1024 ** 2);
});

test('slices get smaller as the work per persona grows', () => {
  const rowsOf = (model: Model): number => workLimits(model).sliceRows;
  assert.equal(rowsOf(modelOf({ columns: 20, trees: 300 })), 1000);
  assert.ok(rowsOf(modelOf({ columns: 5000, trees: 300 })) < 100);
  assert.equal(rowsOf(modelOf({ columns: 100_000, trees: 10_000_000 })), 1);
});

/** Makes every model accept this many personas, in slices of three. */
function limitWork(t: TestContext, maxPersonas: number): void {
  const hold = ModelCache.prototype.hold;
  t.mock.method(ModelCache.prototype, 'hold', async function (this: ModelCache, id: string) {
    const held = await hold.call(this, id);
    const work = { sliceRows: 3, maxPersonas, size: '5,000 columns' };
    return { ...held, predictor: { ...held.predictor, work } };
  });
}

test('a batch in slices gets the same response, with errors at their places', async t => {
  const target = await serving(t);
  const personas = Array.from({ length: 20 }, (_, i) => (i % 7 === 2 ? { features: {} } : persona));
  const answer = async () => (await post(target, '/user/batch-persona', { id: 'two', personas })).text();
  const whole = await answer();
  assert.equal(batchResponse.parse(JSON.parse(whole)).predictions.length, 20);
  const csv = `${header}\n${`${row}\n`.repeat(20)}`;
  const rows = String((await upload(target, csv)).body);
  limitWork(t, 20);
  assert.equal(await answer(), whole);
  assert.equal(String((await upload(target, csv)).body), rows);
});

test('more personas than a report accepts per request are rejected with the limit and its reason', async t => {
  limitWork(t, 5);
  const target = await serving(t);
  const ask = (count: number) =>
    post(target, '/user/batch-persona', { id: 'two', personas: Array(count).fill(persona) });
  assert.equal((await ask(5)).status, 200);
  const refused = await ask(6);
  assert.match(await refused.clone().text(), /at most 5 personas per request to this report.*5,000 columns/);
  assert.equal(await problemOf(refused), '413 too_many_personas');
});

slow('other requests are handled between the slices of a batch', async t => {
  const target = await serving(t);
  let isDone = false;
  const large = post(target, '/user/batch-persona', { id: 'two', personas: Array(10_000).fill(persona) });
  large.then(() => {
    isDone = true;
  });
  let between = 0;
  while (!isDone) {
    await get(target, '/healthz');
    if (!isDone) between++;
  }
  assert.equal((await large).status, 200);
  assert.ok(between >= 5, `${between} requests were handled meanwhile`);
});

slow('a body of too many members is rejected with the limit', async t => {
  const target = await serving(t);
  for (const [body, limit] of [
    [`{"id":"two","personas":[${'{},'.repeat(2_000_000)}{}]}`, /at most 10,000 personas/],
    [
      `{"personas":[${'{},'.repeat(2_000_000)}{}],"id":"two"}`,
      /The body exceeds the limit of 2,000,000 members/,
    ],
    [
      `{"id":"two","personas":[{"features":{${'"a":1,'.repeat(20_001)}"b":1}}]}`,
      /A persona exceeds the limit of 20,000/,
    ],
    [
      `{"id":"two","personas":[{"features":{"note":[${'0,'.repeat(20_001)}0]}}]}`,
      /A persona exceeds the limit of 20,000/,
    ],
  ] as const) {
    const answer = await post(target, '/user/batch-persona', body);
    assert.equal(answer.status, 413);
    assert.match(await answer.text(), limit);
  }
});

test('the members of a request may come in any order, each once', async t => {
  const target = await serving(t);
  const features = JSON.stringify(persona.features);
  const expected = await (await post(target, '/user/persona', { id: 'two', ...persona })).text();
  for (const body of [
    `{"features":${features},"id":"two"}`,
    ` {"x":[{}],"id":"two","y":"\\"","features":${features} , "z":{"id":1}} `,
    `{"\\u0069d":"two","featur\\u0065s":${features.replace('plan', 'pl\\u0061n')}}`,
  ])
    assert.equal(await (await post(target, '/user/persona', body)).text(), expected, body);
  for (const body of [
    `{"id":"two","id":"two","features":${features}}`,
    `{"id":"two","features":${features},"id":"two"}`,
    `{"id":"two","features":${features},"features":{}}`,
    `{"id":"two","features":${features}}}`,
    `{"id":"two","features":${features}`,
    `{"id":"two","features":${features},}`,
    `{"id":["two"],"features":${features}}`,
  ])
    assert.equal(await problemOf(await post(target, '/user/persona', body)), '400 malformed', body);
});

slow('the names of members and their order do not change the cost', async t => {
  const target = await serving(t);
  const random = seededRandom(5);
  const names = Array.from({ length: 100 }, (_, i) => `column ${i}`);
  const shuffled = () => names.toSorted(() => random() - 0.5).map(name => `"${name}":1`);
  const features = (...more: string[]) => `{"features":{"plan":"Basic",${more.join(',')}}}`;
  // JSON.parse would take many seconds for each and block everything else.
  for (const personas of [
    Array.from({ length: 3000 }, () => features(...shuffled())),
    Array.from({ length: 3000 }, (_, i) => features(...names.map(name => `"${name} ${i}":1`))),
    [features(...Array.from({ length: 1000 }, (_, i) => `"${'k'.repeat(20_000)}${i}":1`))],
  ]) {
    const answer = await post(target, '/user/batch-persona', `{"id":"two","personas":[${personas}]}`);
    const { predictions } = batchResponse.parse(await answer.json());
    assert.equal(predictions.length, personas.length);
    assert.ok(predictions.every(prediction => 'probabilities' in prediction));
  }
});

/** Features as JSON, which can express what a JavaScript object cannot; those of a group are equivalent. */
const equivalent: string[][] = [
  ['25.5', '"25.5"', '" 25.50 "', '"+2.55e1"', '255e-1'].map(
    value => `{"plan":"Basic","monthly amount":${value}}`,
  ),
  [
    ...['null', '""', '" "', '"abc"', '"0x10"', '"Infinity"', '1e999', '"1_000"'].map(
      value => `{"plan":"Basic","monthly amount":${value}}`,
    ),
    '{"plan":"Basic"}',
  ],
  [
    ...['null', '""', '" "', '"never seen"', '"basic"', '7', 'true'].map(
      value => `{"monthly amount":65,"plan":${value}}`,
    ),
    '{"monthly amount":65}',
    '{"monthly amount":65,"nothing of the report":1,"toString":null}',
  ],
];

test('spellings of a number are equivalent, as are all missing numbers, and all missing and unknown categories', async t => {
  const target = await serving(t);
  const personas = equivalent.flat().map(each => `{"features":${each}}`);
  const answer = await post(target, '/user/batch-persona', `{"id":"two","personas":[${personas}]}`);
  const { predictions } = batchResponse.parse(await answer.json());
  for (const group of equivalent) {
    const own = predictions.splice(0, group.length);
    for (const [index, prediction] of own.entries()) assert.deepEqual(prediction, own[0], group[index]);
    assert.notDeepEqual(own[0], predictions[0]);
  }
});
