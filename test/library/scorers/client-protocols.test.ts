import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import { Client, type ClientOptions, score, verify } from '../../../src/index.ts';
import { newFolder } from '../../support/folder.ts';
import { mlflow } from '../../support/protocols/dialects.ts';
import { startModelServer } from '../../support/protocols/model-server.ts';
import { key } from '../../support/secrets.ts';

/** A client of a scoring server of MLflow that predicts this for an id. */
async function clientOf(
  t: TestContext,
  predict: (id: number) => unknown,
  options: Partial<ClientOptions> = {},
) {
  const { url, calls } = await startModelServer(t, mlflow(), ({ response, rows }) => {
    response.end(JSON.stringify({ predictions: rows.map(({ id }) => predict(Number(id))) }));
    return true;
  });
  const client = new Client({ url, key, protocol: 'mlflow', ...options });
  t.after(() => client.close());
  return { client, calls };
}

describe('a Client with another protocol than that of reports', () => {
  it('predicts for objects, whatever the kind, and for several in order', async t => {
    for (const [predict, expected] of [
      [(id: number) => [id / 10, 1 - id / 10], { probabilities: { no: 0.3, yes: 0.7 } }],
      [(id: number) => `label ${id}`, { label: 'label 3' }],
      [(id: number) => id / 7, { value: 3 / 7 }],
      [(id: number) => ({ mean: id, upper: 9 }), { values: { mean: 3, upper: 9 } }],
    ] as const) {
      // Lists of probabilities have the order of the classes that are named.
      const named = 'probabilities' in expected && { classes: ['no', 'yes'] };
      const { client, calls } = await clientOf(t, predict, named || {});
      assert.deepEqual(await client.persona('m', { id: 3, text: '007' }), expected);
      assert.deepEqual(calls[0]?.rows, [{ id: 3, text: '007' }]);
      const three = await client.batchPersona('m', [{ id: 1 }, { id: 2 }, { id: 3 }]);
      assert.deepEqual([three.length, three[2]], [3, expected]);
    }
  });

  it('rejects for a persona without a prediction, of which several have an error', async t => {
    const { client } = await clientOf(t, id => (id === 2 ? null : 'yes'));
    await assert.rejects(client.persona('m', { id: 2 }), { code: 'wrong_answer' });
    const [first, second] = await client.batchPersona('m', [{ id: 1 }, { id: 2 }]);
    assert.deepEqual(first, { label: 'yes' });
    assert.ok(second !== undefined && 'error' in second && second.error.code === 'wrong_prediction');
  });

  it('scores files, which are verified by it', async t => {
    const { client } = await clientOf(t, id => id / 7);
    const folder = await newFolder(t);
    const files = { input: join(folder, 'in.csv'), output: join(folder, 'out.csv') };
    await writeFile(files.input, 'id\n1\n2\n');
    const { protocol, prediction } = await score({ ...files, report: 'm', scorer: client });
    assert.deepEqual([protocol, prediction], ['mlflow', { kind: 'numbers', names: [] }]);
    assert.equal(await readFile(files.output, 'utf8'), `id,prediction\n1,${1 / 7}\n2,${2 / 7}\n`);
    const { agrees, sampled } = await verify({ ...files, report: 'm', scorer: client, sample: 2 });
    assert.deepEqual([agrees, sampled], [true, 2]);
  });

  it('has no reports, and refuses a protocol or description that is none', async t => {
    const { client, calls } = await clientOf(t, String);
    for (const call of [
      client.report('m'),
      client.testingResults('m'),
      client.batchPredict('m', Readable.from([])),
    ])
      await assert.rejects(call, { code: 'usage', message: /works only with the protocol report/ });
    assert.equal(calls.length, 0);
    const wrong: [object, string][] = [
      [{ protocol: 'soap' }, 'bad_option'],
      [{ protocol: 'custom' }, 'usage'],
      [{ protocol: 'custom', custom: { request: {} } }, 'bad_option'],
      [{ custom: {} }, 'usage'],
    ];
    for (const [options, code] of wrong)
      assert.throws(() => new Client({ url: 'http://127.0.0.1:1', key, ...options }), { code });
  });
});
