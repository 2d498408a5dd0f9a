import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { startServer } from '../../src/server/server.ts';
import { trainReport } from '../../src/training/train.ts';
import { newFolder } from '../support/folder.ts';
import { exits, rowcast } from '../support/rowcast.ts';
import { history, homeWith } from '../support/service/history.ts';

/** The commands against a service run by `rowcast serve`, as a remote user would use it. */
describe('the commands with a hosted service', () => {
  let home = '';
  let input = '';
  before(async () => {
    const made = await homeWith(history({ rows: 500 }));
    home = made.home;
    input = made.historyFile;
    for (const id of ['one', 'two'])
      await trainReport({ historyFile: made.historyFile, predict: 'outcome', home, id });
  });

  it('give the same results as with the embedded one, despite a rate limit and a key for a single report', async t => {
    const folder = await newFolder(t);
    const added = await rowcast(
      ['keys', 'add', 'etl', '--report', 'two', '--scope', 'predict,report,testing-results'],
      { env: { ROWCAST_HOME: home } },
    );
    const service = await startServer({
      home,
      host: '127.0.0.1',
      port: 0,
      storedKeys: true,
      metrics: true,
      maxRequestsPerSecond: 4,
    });
    t.after(() => service.close());
    const hosted = {
      ROWCAST_HOME: folder,
      ROWCAST_URL: service.url,
      ROWCAST_API_KEY: added.stdout.toString().trim(),
    };
    const embedded = { ROWCAST_HOME: home };
    // Ten requests, more than the rate limit allows in a second: the client waits, whether it is told so by a 429 or
    // before.
    const score = ['score', input, '--report', 'two', '--batch-rows', '50', '--prediction', '-o'];
    const [far, near] = [join(folder, 'far.csv'), join(folder, 'near.csv')];
    const scored = await exits(rowcast([...score, far], { env: hosted }), 0);
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    const isLimited = /^rowcast_http_requests_total\{.*status="429".*\} [1-9]/m.test(metrics);
    assert.equal(/responded with 429: .*; retrying/.test(scored.stderr), isLimited, scored.stderr);
    assert.equal((await rowcast([...score, near], { env: embedded })).code, 0);
    assert.deepEqual(await readFile(far), await readFile(near));
    for (const args of [
      ['report', 'two', '--json'],
      ['testing-results', 'two'],
      ['predict', '--report', 'two', 'plan=Basic'],
    ]) {
      const [from, to] = [await rowcast(args, { env: hosted }), await rowcast(args, { env: embedded })];
      assert.equal(from.code, 0, from.stderr);
      assert.deepEqual(from.stdout, to.stdout);
    }
    await exits(
      rowcast(['score', input, '--report', 'one', '-o', far], { env: hosted }),
      2,
      /there is no report "one" \[no_such_report\]/,
    );
  });

  it('are authorized by a key until it is revoked', async t => {
    const env = { ROWCAST_HOME: home };
    const folder = await newFolder(t);
    const keyFile = join(folder, 'key');
    const { stdout } = await rowcast(['keys', 'add', 'gone'], { env });
    await writeFile(keyFile, stdout);
    const service = await startServer({ home, host: '127.0.0.1', port: 0, storedKeys: true });
    t.after(() => service.close());
    const report = ['report', 'one', '--url', service.url, '--api-key-file', keyFile];
    assert.equal((await rowcast(report)).code, 0);
    await rowcast(['keys', 'revoke', 'gone'], { env });
    const refused = await exits(rowcast(report), 2, /responded with 401.*\[unauthorized\]/);
    assert.ok(!refused.stderr.includes(stdout.toString().trim()));
  });
});
