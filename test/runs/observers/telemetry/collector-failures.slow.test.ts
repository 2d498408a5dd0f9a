import assert from 'node:assert/strict';
import { createWriteStream } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { makeFifo } from '../../../support/fifo.ts';
import { newFolder } from '../../../support/folder.ts';
import { freePort } from '../../../support/listen.ts';
import { loadedFiles } from '../../../support/loaded-files.ts';
import { startCollector } from '../../../support/otlp/collector.ts';
import { exits, rowcast, startRowcast, waitForStderr } from '../../../support/rowcast.ts';
import { startStub } from '../../../support/stub/service.ts';

const warnings = (stderr: string): string[] =>
  stderr.split('\n').filter(line => line.includes('traces or metrics cannot be sent'));

async function bench(t: TestContext) {
  const { env } = await startStub(t);
  const cwd = await newFolder(t, { 'in.csv': 'a,b\n1,2\n3,4\n' });
  const args = ['score', 'in.csv', '-o', 'out.csv', '--report', 'r'];
  const sendingTo = (url: string, more: Record<string, string> = {}) => ({
    cwd,
    env: { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: url, ...more },
  });
  /** What a run says that succeeds. */
  const stderrOf = async (url: string, more?: Record<string, string>): Promise<string> =>
    (await exits(rowcast(args, sendingTo(url, more)), 0)).stderr;
  return { cwd, env, args, sendingTo, stderrOf };
}

describe('a collector that does not work', () => {
  it('is one warning if it cannot be reached, and does not fail the run', async t => {
    const { stderrOf } = await bench(t);
    const stderr = await stderrOf(`http://127.0.0.1:${await freePort()}`);
    assert.equal(warnings(stderr).length, 1, stderr);
    assert.match(stderr, /cannot be sent: connect ECONNREFUSED/);
  });

  it('is one warning if it refuses what it gets, without what it responds', async t => {
    const { stderrOf } = await bench(t);
    const collector = await startCollector(t, (_, response) => {
      response.writeHead(401, 'No way').end('your key is abc');
      return true;
    });
    assert.deepEqual(warnings(await stderrOf(collector.url)), [
      'rowcast: traces or metrics cannot be sent: the collector responded with 401',
    ]);
  });

  it('is waited for no longer than the timeout if it does not respond', async t => {
    const { stderrOf } = await bench(t);
    const collector = await startCollector(t, () => true);
    const stderr = await stderrOf(collector.url, { OTEL_EXPORTER_OTLP_TIMEOUT: '300' });
    assert.equal(warnings(stderr).length, 1, stderr);
  });

  it('is not waited for for long if the run was stopped by a signal, nor is an endpoint for lineage', async t => {
    const { cwd, sendingTo } = await bench(t);
    // Both would answer within the time that a run has without a signal.
    const late = (_: unknown, response: ServerResponse): boolean => {
      setTimeout(() => response.end(), 4500).unref();
      return true;
    };
    const [collector, lineage] = [await startCollector(t, late), await startCollector(t, late)];
    const fifo = await makeFifo(join(cwd, 'rows'));
    const { child, finished } = startRowcast(
      ['score', fifo, '-o', 'out.csv', '--report', 'r'],
      sendingTo(collector.url, { OPENLINEAGE_URL: lineage.url }),
    );
    const writer = createWriteStream(fifo);
    writer.on('error', () => {}); // the signal may come before the rows are read
    writer.write('a,b\n1,2\n');
    await waitForStderr(child, /scoring /);
    child.kill('SIGTERM');
    const { code, stderr } = await finished;
    writer.destroy();
    assert.equal(code, 143, stderr);
    assert.match(stderr, /traces or metrics cannot be sent: there was no time left to send all/);
    assert.match(stderr, /lineage events cannot be sent: there was no time left to send all/);
  });

  it('is not waited for any longer after Ctrl-C, and the exit code of the finished run stays', async t => {
    const { args, sendingTo } = await bench(t);
    const { promise: asked, resolve } = withResolvers();
    const collector = await startCollector(t, () => {
      resolve();
      return true;
    });
    const sending = sendingTo(collector.url, { OTEL_EXPORTER_OTLP_TIMEOUT: '10000' });
    const { child, finished } = startRowcast(args, sending);
    await waitForStderr(child, /2 rows scored/);
    await asked;
    child.kill('SIGINT');
    const { code, stderr } = await finished;
    assert.equal(code, 0, stderr);
    assert.match(stderr, /there was no time left to send all/);
  });
});

describe('the code of OpenTelemetry', () => {
  it('is loaded only if an endpoint is set', async t => {
    const { cwd, env, args } = await bench(t);
    const loaded = async (more: Record<string, string>): Promise<string[]> => {
      const files = await loadedFiles(t, args, { cwd, env: { ...env, ...more } });
      return files.filter(file => /open-?telemetry/.test(file));
    };
    assert.deepEqual(await loaded({ OTEL_SERVICE_NAME: 'nightly' }), []);
    const url = `http://127.0.0.1:${await freePort()}`;
    const names = await loaded({ OTEL_EXPORTER_OTLP_ENDPOINT: url });
    assert.ok(names.includes('opentelemetry.js'), names.join());
  });
});

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>(done => {
    resolve = done;
  });
  return { promise, resolve };
}
