import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { parse } from 'csv-parse/sync';
import { WINDOW_BYTES } from '../../src/scoring/stages.ts';
import { startServer } from '../../src/server/server.ts';
import type { RunningService } from '../../src/server/service.ts';
import { trainReport } from '../../src/training/train.ts';
import { newFolder } from '../support/folder.ts';
import { listen } from '../support/listen.ts';
import { exits, type Finished, rowcast } from '../support/rowcast.ts';
import { csv, history, homeWith } from '../support/service/history.ts';
import { startNginx, withoutNginx } from './nginx.ts';

const key = 'a-key-behind-nginx';
const ROWS = 2000;
const rows = history({ rows: ROWS, seed: 11 }).map(row => row.slice(0, -1));
const personas = csv(rows);
const long = 'x'.repeat(18_000);

describe('through nginx, every row gets its own prediction', { skip: withoutNginx }, () => {
  let home: string;
  let service: RunningService;
  let upstream: string;
  /** The result without nginx. */
  let direct: string;

  before(async () => {
    const made = await homeWith(history({ rows: 500 }));
    home = made.home;
    await trainReport({ historyFile: made.historyFile, predict: 'outcome', home, id: 'plans' });
    service = await startServer({ home, host: '127.0.0.1', port: 0, key });
    upstream = new URL(service.url).host;
    const folder = await mkdtemp(join(tmpdir(), 'rowcast-test-'));
    await exits(score(folder, service.url), 0);
    direct = await readFile(join(folder, 'out.csv'), 'utf8');
    await rm(folder, { recursive: true });
  });
  after(async () => {
    await service.close();
    await rm(home, { recursive: true });
  });

  interface Through {
    finished: Finished;
    output: string;
    summary: { rows: object; retries: Record<string, number>; calls: number };
    statuses: string[];
    folder: string;
  }

  async function through(
    t: TestContext,
    nginx: { upstream?: readonly string[]; http?: string; location?: string },
    { args = [], input = personas }: { args?: readonly string[]; input?: string } = {},
  ): Promise<Through> {
    const { url, statuses } = await startNginx(t, { upstream: [upstream], ...nginx });
    const folder = await newFolder(t);
    const finished = await score(folder, url, args, input);
    return {
      finished,
      output: await readFile(join(folder, 'out.csv'), 'utf8'),
      summary: JSON.parse(await readFile(join(folder, 'summary.json'), 'utf8')),
      statuses: await statuses(),
      folder,
    };
  }

  const outages = [
    {
      status: 502,
      what: 'with every other server closing the connection',
      other: (socket: Socket) => void socket.destroy(),
    },
    {
      status: 504,
      what: 'with every other server not responding',
      other: () => {},
      location: 'proxy_read_timeout 300ms;',
    },
    {
      status: 503,
      what: 'that allows one request at a time',
      http: 'limit_conn_zone $server_port zone=calls:1m;',
      location: 'limit_conn calls 1;',
    },
    {
      status: 503,
      what: 'that limits requests per second',
      http: 'limit_req_zone $server_port zone=calls:1m rate=10r/s;',
      location: 'limit_req zone=calls burst=2 nodelay;',
    },
    {
      status: 429,
      what: 'that limits requests per second with 429',
      http: 'limit_req_zone $server_port zone=calls:1m rate=10r/s;',
      location: 'limit_req zone=calls burst=2 nodelay; limit_req_status 429;',
    },
  ];
  for (const { status, what, other, ...directives } of outages)
    it(`nginx ${what}: each ${status} is retried`, { timeout: 120_000 }, async t => {
      const servers = other === undefined ? [upstream] : [await startOther(t, other), upstream];
      const { finished, output, summary, statuses } = await through(t, { upstream: servers, ...directives });
      assert.equal(finished.code, 0, finished.stderr);
      assert.ok(output === direct, 'other bytes');
      assert.deepEqual(summary.rows, { read: ROWS, scored: ROWS, rejected: 0, rejected_by: {} });
      const refused = statuses.filter(said => said === String(status)).length;
      assert.ok(refused > 0, 'nginx rejected nothing');
      // A rejected probe, which only shows whether the service or a row is the cause, is not retried.
      const { [`http_${status}`]: retried = 0, ...others } = summary.retries;
      assert.ok(retried > 0 && retried <= refused, `${retried} of ${refused} retried`);
      assert.deepEqual(others, {});
      assert.deepEqual(new Set(statuses), new Set(['200', String(status)]));
      assert.equal(summary.calls, statuses.length);
      // The text of nginx's error page.
      assert.match(
        finished.stderr,
        new RegExp(`the service responded with ${status}: .*nginx.*; will keep trying`),
      );
    });

  it('nginx with a small body limit: batches are halved, and later ones are smaller', async t => {
    // More than is in flight at once, which is already cut into batches before the first response.
    const [header = [], ...others] = rows;
    const input = csv([header, ...others.map(row => row.with(2, row[2] + long))]);
    assert.ok(input.length > WINDOW_BYTES);
    const folder = await newFolder(t);
    // The plans of these rows are unknown to the model.
    const args = ['--max-unseen', 'none'];
    await exits(score(folder, service.url, args, input), 0);
    const nginx = { location: 'client_max_body_size 300k;' };
    const { finished, output, summary, statuses } = await through(t, nginx, { args, input });
    assert.equal(finished.code, 0, finished.stderr);
    assert.ok(output === (await readFile(join(folder, 'out.csv'), 'utf8')), 'other bytes');
    assert.deepEqual(summary.retries, {});
    assert.deepEqual(new Set(statuses), new Set(['200', '413']));
    const afterLast413 = statuses.length - 1 - statuses.lastIndexOf('413');
    assert.ok(afterLast413 > statuses.length / 3, statuses.join(' '));
  });

  it('nginx with a small body limit: a single row over the limit is rejected', async t => {
    const large = `large,50,${'x'.repeat(20_000)},\n`;
    const args = ['--batch-rows', '100'];
    const nginx = { location: 'client_max_body_size 16k;' };
    const { finished, output, folder } = await through(t, nginx, { args, input: personas + large });
    assert.equal(finished.code, 1, finished.stderr);
    assert.equal(output, direct + large.replace('\n', ',,\n'));
    const [header, [row, , code, reason] = [], ...more]: string[][] = parse(
      await readFile(join(folder, 'out.csv.rejects')),
    );
    assert.equal(header?.[0], 'reject_row');
    assert.deepEqual([row, code], [String(ROWS + 1), 'http_413']);
    assert.match(reason ?? '', /^the service responded with 413: 413 Request Entity Too Large .*nginx/);
    assert.deepEqual(more, []);
  });
});

async function score(
  folder: string,
  url: string,
  args: readonly string[] = [],
  input = personas,
): Promise<Finished> {
  await writeFile(join(folder, 'in.csv'), input);
  const files = ['in.csv', '-o', 'out.csv', '--summary', 'summary.json'];
  return rowcast(['score', ...files, '--report', 'plans', '--url', url, '--batch-rows', '200', ...args], {
    cwd: folder,
    env: { ROWCAST_API_KEY: key },
  });
}

/** A server that handles every request like this. @returns its `host:port` */
async function startOther(t: TestContext, asked: (socket: Socket) => void): Promise<string> {
  const server = createServer(socket => {
    socket.once('data', () => asked(socket));
  });
  return new URL(await listen(t, server)).host;
}
