import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { newFolder } from '../../support/folder.ts';
import { root } from '../../support/root.ts';
import { get } from '../../support/service/client.ts';
import { openConnection } from '../../support/service/socket.ts';
import { slow } from '../../support/slow.ts';
import { serve } from './serving.ts';

const key = 'k';

describe('rowcast serve, shutting down', () => {
  it('reports that it is not ready, and keeps serving for the drain delay', async t => {
    const env = { ROWCAST_HOME: await newFolder(t), ROWCAST_API_KEY: key };
    const { url, child, says } = await serve(t, env, ['--drain-delay', '1h']);
    const ended = once(child, 'close');
    child.kill('SIGTERM');
    await says(/SIGTERM: still serving for 1h/);
    assert.equal((await get({ url, key }, '/readyz')).status, 503);
    assert.equal((await get({ url, key }, '/user/report/none')).status, 404);
    // A second signal skips the delay.
    child.kill('SIGTERM');
    assert.deepEqual(await ended, [null, 'SIGTERM']);
  });

  it('reloads on SIGHUP and keeps serving', async t => {
    const env = { ROWCAST_HOME: await newFolder(t), ROWCAST_API_KEY: key };
    const { url, child, end, says } = await serve(t, env);
    child.kill('SIGHUP');
    await says(/SIGHUP: reloaded keys/);
    assert.equal((await get({ url, key }, '/readyz')).status, 200);
    assert.equal((await get({ url, key }, '/user/report/none')).status, 404);
    assert.equal((await get({ url, key: 'another' }, '/user/report/none')).status, 401);
    await end();
  });

  slow('exits by the deadline even if opening a file of its home never completes', async t => {
    const home = await newFolder(t);
    const { url, child } = await serve(t, { ROWCAST_HOME: home, ROWCAST_API_KEY: key }, [
      ...['--drain-timeout', '500ms'],
    ]);
    await mkdir(join(home, 'reports', 'stuck'), { recursive: true });
    // Six of them, more than the threads of Node's pool.
    execFileSync('mkfifo', [join(home, 'reports', 'stuck', 'SHA256SUMS')]);
    const requests = Array.from({ length: 6 }, () => get({ url, key }, '/user/report/stuck').catch(() => {}));
    const line = await openConnection(url);
    line.socket.write(
      'GET /user/report/stuck HTTP/1.1\r\nhost: localhost\r\nauthorization: ApiKey k\r\n\r\n',
    );
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    const [code, signal] = await exited;
    assert.ok(code === 0 || signal === 'SIGTERM', `${code} ${signal}`);
    await Promise.all([...requests, line.ended]);
  });

  slow('exits by the deadline even if nobody reads its stderr', async t => {
    const env = { ROWCAST_HOME: await newFolder(t), ROWCAST_API_KEY: key };
    const { url, child, stopReading } = await serve(t, env, ['--drain-timeout', '500ms']);
    stopReading();
    const line = await openConnection(url);
    const requests = 2_000; // each a line of about 70 bytes, more than a pipe holds
    line.socket.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(requests));
    line.socket.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');
    await line.ended;
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    const [code, signal] = await exited;
    assert.ok(code === 0 || signal === 'SIGTERM', `${code} ${signal}`);
  });

  it('exits by the deadline even if a thread and the event loop are stuck', async t => {
    const folder = await newFolder(t);
    const fifo = join(folder, 'fifo');
    execFileSync('mkfifo', [fifo]);
    const script = join(folder, 'stuck.mjs');
    await writeFile(
      script,
      `import { Worker } from 'node:worker_threads';
       import { enforceDeadline } from ${JSON.stringify(join(root, 'dist/src/cli/serve/shut-down.js'))};
       new Worker("require('node:fs').openSync(" + JSON.stringify(${JSON.stringify(fifo)}) + ")", { eval: true });
       enforceDeadline(300, 'SIGTERM');
       Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);`,
    );
    const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
    t.after(() => child.kill('SIGKILL'));
    assert.deepEqual(await once(child, 'exit'), [null, 'SIGTERM']);
  });
});
