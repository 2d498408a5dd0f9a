import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { newFolder } from '../support/folder.ts';
import { root } from '../support/root.ts';
import { exits, type Finished, rowcast } from '../support/rowcast.ts';
import { assertScored } from '../support/scoring/scored.ts';
import { type Stub, type StubOptions, send, startStub } from '../support/stub/service.ts';

const ROWS = 1000;
const input = `id,plan\n${Array.from({ length: ROWS }, (_, row) => `${row},plan ${row}\n`).join('')}`;

async function bench(t: TestContext, options: StubOptions) {
  const stub = await startStub(t, { report: { classes: ['no', 'yes'] }, ...options });
  const folder = await newFolder(t, { 'in.csv': input });
  const words = 'score in.csv --report r --batch-rows 100 --concurrency 1'.split(' ');
  return {
    stub,
    folder,
    /** Scores ten batches, one request at a time. */
    run: (more: readonly string[] = [], env: Record<string, string> = {}) =>
      rowcast([...words, '--url', stub.url, ...(more.includes('-o') ? [] : ['-o', 'out.csv']), ...more], {
        cwd: folder,
        env: { ROWCAST_API_KEY: stub.key, ...env },
      }),
    async assertAllScored({ code, stderr }: Finished): Promise<void> {
      assert.equal(code, 0, stderr);
      assertScored(await readFile(join(folder, 'out.csv')), Buffer.from(input));
    },
  };
}

const breaking: StubOptions = {
  behave({ number, request }) {
    if (number > 3) request.socket.destroy();
    return number > 3;
  },
};

async function beDown(stub: Stub, ms: number): Promise<void> {
  await stub.goDown();
  await delay(ms);
  await stub.comeUp();
}

const kept = /checkpoint saved at row 300; to resume, run: rowcast score in\.csv .*-o out\.csv/;

describe('a service', { concurrency: 4, timeout: 60_000 }, () => {
  it('that stops responding is retried until --max-outage runs out, and the run can be resumed', async t => {
    let isSilent = true;
    const { run, assertAllScored } = await bench(t, { behave: ({ number }) => isSilent && number > 3 });
    await exits(
      run(['--timeout', '1', '--max-outage', '2']),
      75,
      /no complete response within 1 s \[service_timeout\]\n {2}Rows of \S+ from 301 on are not scored\. .* It was retried for 2 s \(--max-outage\)\./,
      /; will keep trying for up to 2 s \(--max-outage\)/,
      kept,
    );
    isSilent = false;
    const finished = await run(['--timeout', '1', '--max-outage', '2']);
    assert.match(finished.stderr, /resuming at row 301/);
    await assertAllScored(finished);
  });

  it('that trickles bytes must finish within the timeout of one request', async t => {
    const { run } = await bench(t, {
      behave({ number, response }) {
        if (number <= 3) return false;
        response.writeHead(200);
        const sending = setInterval(() => response.write(' '), 100);
        response.on('close', () => clearInterval(sending));
        return true;
      },
    });
    const says = /no complete response within 1 s \[service_timeout\]/;
    await exits(run(['--timeout', '1', '--max-outage', '2']), 75, says, kept);
  });

  for (const output of ['out.csv', 'out.csv.gz', 'out.csv.zst'])
    it(`that closes every connection stops the run when --max-outage runs out, which keeps ${output}`, async t => {
      const { run } = await bench(t, breaking);
      const says = /the connection was closed: .*\[connection_broken\]/;
      await exits(run(['-o', output, '--max-outage', '1']), 75, says, kept);
    });

  it('that is down at times, but never for as long as --max-outage, does not stop the run', async t => {
    let outages = 0;
    const { run, stub, assertAllScored } = await bench(t, {
      async behave({ number, request }) {
        if (number % 3 !== 0) return false;
        request.socket.destroy();
        outages++;
        await beDown(stub, 1500);
        return true;
      },
    });
    await assertAllScored(await run(['--max-outage', '5']));
    assert.ok(outages * 1.5 > 5, 'together longer than --max-outage');
  });

  it('may see a request twice if the connection breaks, but the output has its rows once', async t => {
    const { run, stub, assertAllScored } = await bench(t, {
      behave({ number, request }) {
        if (number === 4) request.socket.resetAndDestroy();
        return number === 4;
      },
    });
    await assertAllScored(await run());
    assert.equal(stub.bodies.length, 11);
    assert.deepEqual(stub.bodies[3], stub.bodies[4]);
  });

  it('that times out on one batch three times, but not on others, gets its halves', async t => {
    const { run, stub, assertAllScored } = await bench(t, {
      behave: ({ body }) =>
        body.personas.length > 50 && body.personas.some(({ features }) => features.id === 617),
    });
    await assertAllScored(await run(['--timeout', '1', '--max-outage', '60', '--concurrency', '4']));
    const sizes = stub.bodies
      .filter(({ personas }) => personas.some(({ features }) => features.id === 617))
      .map(({ personas }) => personas.length);
    assert.match(sizes.join(), /^(100,){3,}50$/);
  });
});

describe('a wall clock that steps by hours during a run', { timeout: 60_000 }, () => {
  const NODE_OPTIONS = `--import=${join(root, 'dist/test/crash/stepping-clock.js')}`;

  it('changes neither rows nor waits, and Retry-After is honoured for at most --max-outage', async t => {
    const soon = new Date(Date.now() + 1000).toUTCString();
    const { run, stub, folder, assertAllScored } = await bench(t, {
      async behave({ number, response }) {
        if (number === 2) send(response, 429, {}, { 'retry-after': soon });
        else if (number === 5) send(response, 503, {}, { 'retry-after': '1' });
        else if (number === 7) await beDown(stub, 2000);
        else return false;
        return true;
      },
    });
    const finished = await run(['--max-outage', '4', '--summary', 'sum.json'], { NODE_OPTIONS });
    await assertAllScored(finished);
    const [, wait] =
      /responded with 429.*retrying in (\d+) s, for up to 4 s \(--max-outage\)/.exec(finished.stderr) ?? [];
    assert.ok(Number(wait) > 2 && Number(wait) <= 4, `six hours were cut to ${wait} s`);
    const { seconds } = JSON.parse(await readFile(join(folder, 'sum.json'), 'utf8'));
    assert.ok(seconds > 0 && seconds < 600, `${seconds} s`);
  });

  it('does not prevent --max-outage from running out', async t => {
    const { run } = await bench(t, breaking);
    await exits(run(['--max-outage', '2'], { NODE_OPTIONS }), 75, /the connection was closed/, kept);
  });
});
