import assert from 'node:assert/strict';
import { test } from 'node:test';
import { batchResponse, classesResponse } from '../../../src/base/contract/schemas.ts';
import { post } from '../../support/service/client.ts';
import { serving } from '../../support/service/serving.ts';

/** Features as JSON, which can express what a JavaScript object cannot. */
const alike: { what: string; features: string[] }[] = [
  {
    what: 'a number and its spellings',
    features: ['25.5', '"25.5"', '" 25.50 "', '"+2.55e1"', '255e-1'].map(
      value => `{"plan":"Basic","monthly amount":${value}}`,
    ),
  },
  {
    what: 'an invalid number, null, a blank and a missing column',
    features: [
      ...['null', '""', '" "', '"abc"', '"0x10"', '"Infinity"', '1e999', '"1_000"'].map(
        value => `{"plan":"Basic","monthly amount":${value}}`,
      ),
      '{"plan":"Basic"}',
    ],
  },
  {
    what: 'an unknown category, null, a blank and a missing column',
    features: [
      ...['null', '""', '" "', '"never seen"', '"basic"', '7', 'true'].map(
        value => `{"monthly amount":65,"plan":${value}}`,
      ),
      '{"monthly amount":65}',
      '{"monthly amount":65,"nothing of the report":1,"toString":null}',
    ],
  },
];
for (const { what, features } of alike) {
  test(`${what} are equivalent`, async t => {
    const target = await serving(t);
    const personas = features.map(each => `{"features":${each}}`).join();
    const answer = await post(target, '/user/batch-persona', `{"id":"two","personas":[${personas}]}`);
    const predictions = batchResponse.parse(await answer.json()).predictions;
    for (const [index, prediction] of predictions.entries())
      assert.deepEqual(prediction, predictions[0], features[index]);
    for (const [index, each] of features.entries()) {
      const single = await post(target, '/user/persona', `{"id":"two","features":${each}}`);
      const { id, probabilities } = classesResponse.parse(await single.json());
      assert.deepEqual({ id, probabilities }, { id: 'two', ...predictions[index] });
    }
  });
}

test('known values differ from unknown ones', async t => {
  const target = await serving(t);
  const features = [
    { plan: 'Basic' },
    { plan: 'プレミアム' },
    { 'monthly amount': 20 },
    { 'monthly amount': 70 },
  ];
  const answer = await post(target, '/user/batch-persona', {
    id: 'two',
    personas: features.map(each => ({ features: each })),
  });
  const { predictions } = batchResponse.parse(await answer.json());
  assert.equal(new Set(predictions.map(each => JSON.stringify(each))).size, features.length);
});
