import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { personaResponse } from '../../../src/contract/schemas.ts';
import { startEmbedded } from '../../../src/server/embedded/start-embedded.ts';
import { watchThread } from '../../../src/server/embedded/watch-worker.ts';
import { train } from '../../../src/training/train.ts';
import { post } from '../../support/service/client.ts';
import { history, homeWith } from '../../support/service/history.ts';

test('the embedded service predicts, with a generated key, until it is closed', async () => {
  const { home, historyFile } = await homeWith(history({ rows: 100 }));
  await train({ historyFile, predict: 'outcome', home, id: 'r' });
  const [one, other] = await Promise.all([startEmbedded({ home }), startEmbedded({ home })]);
  assert.notEqual(one.key, other.key);
  assert.match(one.url, /^http:\/\/127\.0\.0\.1:\d+$/);
  const body = { id: 'r', features: { plan: 'Basic' } };
  personaResponse.parse(await (await post(one, '/user/persona', body)).json());
  assert.equal((await post({ url: one.url, key: other.key }, '/user/persona', body)).status, 401);
  await Promise.all([one.close(), other.close()]);
  assert.equal(one.failure.aborted, false);
  await assert.rejects(post(one, '/user/persona', body));
});

const module = (name: string) => JSON.stringify(new URL(`../../../src/${name}.js`, import.meta.url).href);
const run = (script: string) =>
  promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { timeout: 60_000 });

test('training and the service print nothing, and the service does not keep the process running', async () => {
  const { home, historyFile } = await homeWith(history({ rows: 100 }));
  const { stdout, stderr } = await run(`
    const { train } = await import(${module('training/train')});
    const { startEmbedded } = await import(${module('server/embedded/start-embedded')});
    const home = ${JSON.stringify(home)};
    await train({ historyFile: ${JSON.stringify(historyFile)}, predict: 'outcome', home, id: 'r' });
    const { url, key } = await startEmbedded({ home });
    const response = await fetch(url + '/user/persona', {
      method: 'POST',
      headers: { authorization: 'ApiKey ' + key, 'content-type': 'application/json' },
      body: JSON.stringify({ id: 'r', features: { plan: 'Basic' } }),
    });
    if (!response.ok) throw new Error(String(response.status));
    await response.text();
  `);
  assert.equal(stdout, '');
  assert.equal(stderr, '');
});

for (const [how, script, reason] of [
  ['throws', 'throw new Error("out of luck")', /out of luck/],
  ['exits', 'process.exit(3)', /ended with code 3/],
] as const) {
  test(`a thread that ${how} by itself aborts the signal of its failure with a reason`, async () => {
    const { exited, failure } = watchThread(new Worker(script, { eval: true }));
    await exited;
    assert.throws(() => failure.throwIfAborted(), {
      code: 'service_died',
      severity: 'stopped',
      message: reason,
    });
  });
}

test('a thread that ends on request has not failed', async () => {
  const worker = new Worker('require("node:worker_threads").parentPort.once("message", () => {})', {
    eval: true,
  });
  const { exited, failure, expectEnd } = watchThread(worker);
  expectEnd();
  worker.postMessage('close');
  await exited;
  assert.equal(failure.aborted, false);
});
