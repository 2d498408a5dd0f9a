import assert from 'node:assert/strict';
import { test } from 'node:test';
import { batchResponse } from '../../../src/base/contract/schemas.ts';
import { seededRandom } from '../../../src/training/seeded-random.ts';
import { post } from '../../support/service/client.ts';
import { serving } from '../../support/service/serving.ts';

test('the names of members and their order do not change the cost', async t => {
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
