import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { get, post, problemOf, type Target } from '../../support/service/client.ts';
import { expectedNumbers, importedHome, importedPersona } from '../../support/service/imported-home.ts';
import { serving } from '../../support/service/serving.ts';

/** All responses are compared with the OpenAPI document. */
const service = async (t: TestContext): Promise<Target> => serving(t, { home: await importedHome(t) });

const json = async (response: Promise<Response>): Promise<unknown> => (await response).json();

describe('the service of an imported report', () => {
  it('responds with the numbers that the library predicted', async t => {
    const target = await service(t);
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

  it('responds with one number, several by name, or probabilities, and with the same for one persona', async t => {
    const target = await service(t);
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

  it('warns of values with a number as with probabilities', async t => {
    const target = await service(t);
    const features = { ...importedPersona.features, age: 'old' };
    const answer = Object(await json(post(target, '/user/persona', { id: 'number', features })));
    assert.equal(typeof answer.value, 'number');
    assert.deepEqual(
      answer.warnings.map(({ code, column }: { code: string; column: string }) => [code, column]),
      [['mismatched', 'age']],
    );
  });

  it('has an error in place of a number that is not finite', async t => {
    const target = await service(t);
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

  it('tells what the report predicts, and that there are no testing results', async t => {
    const target = await service(t);
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
