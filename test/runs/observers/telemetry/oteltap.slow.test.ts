import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { newFolder } from '../../../support/folder.ts';
import { freePort } from '../../../support/listen.ts';
import { pythonVenv } from '../../../support/python-venv.ts';
import { exits, rowcast } from '../../../support/rowcast.ts';
import { startStub } from '../../../support/stub/service.ts';

describe('traces and metrics', () => {
  it('are received by oteltap, which decodes them with the definitions of OpenTelemetry', async t => {
    const commands = await pythonVenv(t, 'oteltap==1.0.0');
    if (commands === undefined) return;
    const stub = await startStub(t);
    const cwd = await newFolder(t, { 'in.csv': 'a,b\n1,2\n3,4\n' });
    const port = await freePort();
    // With --await-metric it would end at once, perhaps before the traces have come.
    const tap = spawn(join(commands, 'oteltap'), ['--port', String(port)], {
      env: { ...process.env, PYTHONUNBUFFERED: '1' },
    });
    t.after(() => tap.kill());
    const lines: Buffer[] = [];
    tap.stdout.on('data', (chunk: Buffer) => lines.push(chunk));
    await listening(port);
    const { stderr } = await exits(
      rowcast(['score', 'in.csv', '-o', 'out.csv', '--report', 'r'], {
        cwd,
        env: {
          ...stub.env,
          OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
        },
      }),
      0,
    );
    assert.doesNotMatch(stderr, /cannot be sent/);
    for (const name of ['rowcast.run', 'rowcast.batch', 'POST /user/batch-persona', 'rowcast.run.rows'])
      while (!Buffer.concat(lines).includes(`"${name}"`)) await sleep(50);
  });
});

async function listening(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (isOpen) return;
    await sleep(100);
  }
}
