import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newFolder } from '../support/folder.ts';
import { loadedFiles } from '../support/loaded-files.ts';
import { startStub } from '../support/stub/service.ts';

describe('a command loads no code of others', () => {
  it('rowcast --version loads next to nothing', async t => {
    assert.deepEqual(await loadedFiles(t, ['--version']), ['rowcast.js', 'version.js']);
  });

  it('rowcast --help loads the command line and its tables', async t => {
    assert.deepEqual(await loadedFiles(t, ['--help']), [
      'cli-help-help-text.js',
      'command-line.js',
      'failure-report.js',
      'load-cli-dispatch.js',
      'rolldown-runtime.js',
      'rowcast.js',
      'tables.js',
      'version.js',
    ]);
  });

  it('rowcast score with a service loads nothing to train, to serve, to queue or to trace', async t => {
    const stub = await startStub(t);
    const cwd = await newFolder(t, { 'in.csv': 'a,b\n1,2\n' });
    const files = await loadedFiles(t, ['score', 'in.csv', '-o', 'out.csv', '--report', 'r'], {
      cwd,
      env: stub.env,
    });
    for (const needed of ['score-run.js', 'ask-service.js']) assert.ok(files.includes(needed), files.join());
    const others = /telemetry|serve|platform|queue|bullmq|fastify|training|shards|jszip|yaml|definitions/;
    assert.deepEqual(
      files.filter(file => others.test(file)),
      [],
    );
    assert.ok(files.length < 25, files.join());
  });
});
