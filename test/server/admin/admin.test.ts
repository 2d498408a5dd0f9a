import assert from 'node:assert/strict';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { MainThread } from '../../../src/server/admin/main-thread.ts';
import { Readiness } from '../../../src/server/admin/readiness.ts';
import { startServer } from '../../../src/server/server.ts';
import type { RunningService, RunningServiceOptions } from '../../../src/server/service.ts';
import { newFolder } from '../../support/folder.ts';
import { fetchChecked, problemOf } from '../../support/service/client.ts';
import { serving, trainedHome } from '../../support/service/serving.ts';
import { exchange, headOf, openConnection, type RawConnection } from '../../support/service/socket.ts';
import { until } from '../../support/until.ts';

async function withAdmin(
  t: TestContext,
  options: Partial<RunningServiceOptions> = {},
): Promise<RunningService & { admin: string }> {
  const home = await trainedHome();
  const service = await startServer({
    home,
    host: '127.0.0.1',
    port: 0,
    adminPort: 0,
    key: 'k',
    metrics: true,
    ...options,
  });
  t.after(() => service.close());
  assert.ok(service.adminUrl);
  return { ...service, admin: service.adminUrl };
}

test('the admin port serves health, readiness and metrics, and nothing else', async t => {
  const { admin, url } = await withAdmin(t);
  assert.deepEqual(await (await fetch(`${admin}/healthz`)).json(), { status: 'alive' });
  assert.deepEqual(await (await fetch(`${admin}/readyz`)).json(), { status: 'ready' });
  await fetch(`${url}/healthz`);
  const requests = /^rowcast_http_requests_total\{method="GET",route="\/healthz",status="200"\} 1$/m;
  let metrics = '';
  // While the main thread is busy, the admin port answers without it.
  await until(async () => {
    metrics = await (await fetch(`${admin}/metrics`)).text();
    return requests.test(metrics);
  });
  assert.match(metrics, /^rowcast_main_thread_silence_seconds 0\.\d{3}$/m);
  assert.equal(await problemOf(await fetch(`${admin}/user/report/one`)), '404 no_such_endpoint');
  assert.equal(
    await problemOf(await fetch(`${admin}/healthz`, { method: 'POST', body: 'x' })),
    '405 method_not_allowed',
  );
});

test('the admin port has no metrics if they are disabled; an admin port in use is an error', async t => {
  const { admin } = await withAdmin(t, { metrics: false });
  assert.equal(await problemOf(await fetch(`${admin}/metrics`)), '404 no_such_endpoint');
  const home = await trainedHome();
  const adminPort = Number(new URL(admin).port);
  await assert.rejects(startServer({ home, host: '127.0.0.1', port: 0, key: 'k', adminPort }), {
    code: 'cannot_listen',
    message: /--admin-port/,
  });
});

test('an admin thread that died is started again, on the same port', async t => {
  const threads: Worker[] = [];
  const unref = Worker.prototype.unref;
  t.mock.method(Worker.prototype, 'unref', function (this: Worker) {
    threads.push(this);
    return unref.call(this);
  });
  const { admin } = await withAdmin(t);
  for (let deaths = 1; deaths <= 2; deaths++) {
    await threads.at(-1)?.terminate();
    const isAlive = () => fetch(`${admin}/healthz`).then(({ ok }) => ok);
    await until(() => isAlive().catch(() => false));
    assert.equal(threads.length, deaths + 1);
  }
});

test('the admin port closes a connection with several requests at once after its first response', async t => {
  const { admin } = await withAdmin(t);
  const all = await exchange(admin, headOf('GET /readyz').repeat(1_000));
  assert.match(all, /^HTTP\/1\.1 200 OK(?![\s\S]*HTTP)[\s\S]*"ready"/);
});

test('the admin port answers each probe while others hold more connections than it has, and closes theirs', async t => {
  const { admin } = await withAdmin(t);
  const held: RawConnection[] = [];
  t.after(() => {
    for (const { socket } of held) socket.destroy();
  });
  for (const sent of ['', 'GET /healthz HTTP/1.1\r\nx: ', headOf('GET /metrics').repeat(30)])
    for (let i = 0; i < 110; i++) {
      const line = await openConnection(admin);
      line.socket.pause();
      line.socket.write(sent);
      held.push(line);
    }
  for (let i = 0; i < 20; i++) {
    const answer = await fetch(`${admin}/healthz`);
    assert.deepEqual(await answer.json(), { status: 'alive' });
  }
});

/** A thread that polls until every response is as expected while the main thread is blocked, then sets the flag. */
const prober = `
const { workerData: { url, flag } } = require('node:worker_threads');
const view = new Int32Array(flag);
const ask = async path => {
  const response = await fetch(url + path);
  return response.status + ' ' + await response.text();
};
const expected = {
  '/healthz': /^200 .*alive/,
  '/readyz': /^503 .*main thread has not responded for.*unresponsive/,
  '/metrics': /^200 [^]*rowcast_personas_scored_total 0[^]*rowcast_main_thread_silence_seconds [1-9]/,
};
(async () => {
  Atomics.wait(view, 0, 0);
  for (const [path, answer] of Object.entries(expected))
    while (!answer.test(await ask(path))) await new Promise(done => setTimeout(done, 20));
  Atomics.store(view, 1, 1);
  Atomics.notify(view, 1);
})();
`;

test('the admin port responds while the main thread is blocked, and reports it', async t => {
  const { admin } = await withAdmin(t);
  // While the main thread is blocked, the metrics are those of the last scrape.
  await (await fetch(`${admin}/metrics`)).text();
  const flag = new SharedArrayBuffer(8);
  const worker = new Worker(prober, { eval: true, workerData: { url: admin, flag } });
  t.after(() => worker.terminate());
  await new Promise(resolve => worker.once('online', resolve));
  const view = new Int32Array(flag);
  Atomics.store(view, 0, 1);
  Atomics.notify(view, 0);
  // Blocks this thread, on which the service runs, until the prober has all its responses.
  assert.equal(Atomics.wait(view, 1, 0, 20_000), 'ok');
  await until(async () => (await fetch(`${admin}/readyz`)).ok);
});

test('the last reply of the main thread stands until it is silent for too long; only a long hang fails liveness', async () => {
  let silence = 0;
  const asked: string[] = [];
  const answers = new MainThread(
    () => silence,
    question => asked.push(question),
  );
  // No reply yet, and none is overdue.
  await answers.checkReady();
  answers.onReply({
    about: 'readiness',
    problem: { code: 'draining', message: 'The service is shutting down.' },
  });
  await assert.rejects(answers.checkReady(), { code: 'draining' });
  silence = 5_000;
  await assert.rejects(Promise.all([answers.checkReady(), answers.checkReady()]), { code: 'unresponsive' });
  assert.deepEqual(asked, ['readiness', 'readiness'], 'one question is asked at a time');
  answers.checkAlive();
  silence = 61_000;
  assert.throws(() => answers.checkAlive(), { code: 'unresponsive', message: /61\.0 s.*restart/ });
});

test('the service is not ready while its data directory is missing, and ready again once it is back', async t => {
  const folder = await newFolder(t);
  const home = join(folder, 'home');
  await mkdir(home);
  const { url } = await serving(t, { home });
  assert.equal((await fetchChecked(`${url}/readyz`)).status, 200);
  await rename(home, join(folder, 'elsewhere'));
  await until(async () => !(await fetchChecked(`${url}/readyz`)).ok);
  assert.equal(await problemOf(await fetchChecked(`${url}/readyz`)), '503 home_unavailable');
  assert.equal((await fetchChecked(`${url}/healthz`)).status, 200);
  await rename(join(folder, 'elsewhere'), home);
  await until(async () => (await fetchChecked(`${url}/readyz`)).ok);
});

test('a file in place of the data directory fails the readiness check', async t => {
  const home = join(await newFolder(t), 'home');
  await writeFile(home, '');
  assert.equal((await new Readiness(home).problem())?.code, 'home_unavailable');
  await rm(home);
});

test('a data directory whose reports or keys are unreadable fails the readiness check', async t => {
  for (const folder of ['reports', 'keys']) {
    const home = await newFolder(t);
    // Not even root can read it.
    await symlink(folder, join(home, folder));
    assert.equal((await new Readiness(home).problem())?.code, 'home_unavailable', folder);
  }
});

test('draining takes precedence over the state of the data directory', async t => {
  const readiness = new Readiness(await newFolder(t));
  assert.equal(await readiness.problem(), undefined);
  readiness.drain();
  assert.equal((await readiness.problem())?.code, 'draining');
});
