import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { unknownColumns } from '../../../src/base/contract/predictions.ts';
import { protocolOf } from '../../../src/client/protocols/protocols.ts';
import { httpScorer } from '../../../src/client/scorer/http-scorer.ts';
import { predictFeatures } from '../../../src/library/scorers/predict-features.ts';
import { labelOf, mlflow } from '../../support/protocols/dialects.ts';
import { connectServer } from '../../support/protocols/scored-by.ts';
import { probabilitiesOf } from '../../support/stub/service.ts';

/** An MLflow server whose model returns this. */
const returning = (returned: Parameters<typeof mlflow>[0]) => ({
  protocol: protocolOf('mlflow'),
  dialect: mlflow(returned),
});

const { signal: stop } = new AbortController();
const personas = [
  { age: 30, plan: 'a "b", c', isNew: true, code: '007' },
  { age: null, plan: 'two\nlines', isNew: false },
  {},
  { age: 0.1 + 0.2, plan: 'x', code: '1e3' },
];
/** What a server gets of a persona: a row has all columns. */
const rowOf = (persona: object) => ({ age: null, plan: null, isNew: null, code: null, ...persona });

describe('predictions for objects, by a protocol that sends rows', () => {
  it('are what the server predicts for their values', async t => {
    const expected = personas.map(persona => probabilitiesOf(rowOf(persona), ['no', 'yes']));
    for (const [returns, own] of [
      ['objects', expected.map(probabilities => ({ probabilities }))],
      ['labels', expected.map(probabilities => ({ label: labelOf(probabilities) }))],
      ['numbers', expected.map(({ no }) => ({ value: no }))],
    ] as const) {
      const { client, calls } = await connectServer(t, returning(returns));
      assert.deepEqual(await predictFeatures(httpScorer(client), { report: 'm', personas }, stop), own);
      assert.deepEqual(calls[0]?.rows, personas.map(rowOf));
    }
  });

  it('are one for each, also for values that are the names of the columns', async t => {
    const { client } = await connectServer(t, returning('labels'));
    const alike = [
      { age: 'Age', plan: 'plan' },
      { age: 'plan', plan: 'age' },
      { age: null, plan: null },
      { age: 'x', plan: 'y' },
    ];
    const predictions = await predictFeatures(httpScorer(client), { report: 'm', personas: alike }, stop);
    assert.deepEqual(
      predictions,
      alike.map(persona => ({ label: labelOf(probabilitiesOf(persona, ['no', 'yes'])) })),
    );
  });

  it('come in order from many requests, and one that is refused rejects', async t => {
    const many = Array.from({ length: 2500 }, (_, age) => ({ age }));
    const { client, calls } = await connectServer(t, returning('numbers'));
    const predictions = await predictFeatures(httpScorer(client), { report: 'm', personas: many }, stop);
    assert.deepEqual(
      predictions,
      many.map(persona => ({ value: probabilitiesOf(persona, ['no', 'yes']).no })),
    );
    assert.ok(calls.length > 1);
    const wrong = await connectServer(t, returning('lists'), undefined, { key: 'another-key-of-a-test' });
    await assert.rejects(predictFeatures(httpScorer(wrong.client), { report: 'm', personas }, stop), {
      status: 401,
    });
  });

  it('need at least one value, and may be of one column that is missing', async t => {
    const { client } = await connectServer(t, returning('labels'));
    const scorer = httpScorer(client);
    assert.deepEqual(await predictFeatures(scorer, { report: 'm', personas: [{}] }, stop), [
      { error: unknownColumns },
    ]);
    const missing = await predictFeatures(scorer, { report: 'm', personas: [{ age: null }] }, stop);
    assert.equal(missing.length, 1);
  });
});
