import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { RowcastError } from '../../../src/base/errors.ts';
import { revokeKey } from '../../../src/server/auth/key-store.ts';
import { shownError } from '../../../src/web/errors/shown-error.ts';
import { UPLOAD_THREAD_BYTES } from '../../../src/web/recognize-upload.ts';
import { runHints, type StoredProgress } from '../../../src/web/runs/stored-run.ts';
import { makeFifo } from '../../support/fifo.ts';
import { newFolder } from '../../support/folder.ts';
import { rowcast } from '../../support/in-process.ts';
import { parquetOf } from '../../support/parquet.ts';
import { problemOf } from '../../support/service/client.ts';
import { shared } from '../../support/shared.ts';
import { slow } from '../../support/slow.ts';
import { until } from '../../support/until.ts';
import { allEvents, openEvents } from '../../support/web/events.ts';
import {
  platformWithReports,
  type SignedIn,
  servingPlatform,
  signIn,
  signInWithKey,
} from '../../support/web/platform.ts';
import {
  createdRun,
  createRun,
  filesOfRun,
  progressIn,
  scoredRun,
  sendInput,
} from '../../support/web/runs.ts';
import { slowUpload } from '../../support/web/uploads.ts';

const personas = (rows: number, separator = ','): string =>
  `${['id', 'monthly amount', 'plan', '__proto__'].join(separator)}\n${Array.from(
    { length: rows },
    (_, row) =>
      [
        `p${row}`,
        row % 13 === 0 ? '' : (row % 50) + 0.25,
        row % 3 === 0 ? 'Basic' : 'プレミアム',
        row % 7,
      ].join(separator),
  ).join('\n')}\n`;

/** Some rows of which are rejected. */
const withRejects = `${personas(120)}p,1\np,1,Basic,4,more\n"p\nq",2,"Ba""sic",5\n\n${personas(40).split('\n').slice(1).join('\n')}`;

const textOf = async (browser: SignedIn, path: string): Promise<string> => {
  const response = await browser.fetch(path);
  assert.equal(response.status, 200, await response.clone().text());
  return response.text();
};

describe('a file that is scored on the platform', () => {
  const platform = shared(suite => platformWithReports(suite));

  for (const [what, file, bytes, delimiter] of [
    ['a CSV', 'in.csv', Buffer.from(personas(2_500))],
    ['a CSV with rejects', 'in.csv', Buffer.from(withRejects)],
    [
      'a CSV with CRLF and no end of line',
      'in.csv',
      Buffer.from(personas(30).replaceAll('\n', '\r\n').trimEnd()),
    ],
    ['gzip', 'in.csv.gz', gzipSync(personas(300))],
    ['tab-separated values', 'in.tsv', Buffer.from(personas(30, '\t'))],
    ['semicolons', 'in.csv', Buffer.from(personas(30, ';')), ';'],
    ['only a header', 'in.csv', Buffer.from(personas(0))],
  ] as const)
    it(`gives the same bytes as rowcast score: ${what}`, async t => {
      const at = platform();
      const { id, ...run } = await scoredRun(at.browser, bytes, { file, delimiter });
      assert.equal(run.status, 'finished', JSON.stringify(run));
      const folder = await newFolder(t);
      await writeFile(join(folder, file), bytes);
      const output = join(folder, 'out.csv');
      const options = ['-o', output, '--report', 'one', '--home', at.home];
      if (delimiter !== undefined) options.push('--delimiter', delimiter);
      const { stderr, code } = await rowcast(['score', join(folder, file), ...options]);
      assert.ok(code === 0 || code === 1, stderr);
      assert.equal(await textOf(at.browser, `/platform/runs/${id}/output`), await readFile(output, 'utf8'));
      if (run.rows.rejected > 0)
        assert.equal(
          await textOf(at.browser, `/platform/runs/${id}/rejects`),
          await readFile(`${output}.rejects`, 'utf8'),
        );
      assert.equal(run.rows.rejected > 0, code === 1);
    });

  it('is stored first, then comes back while it is scored', async () => {
    const at = platform();
    const id = await createdRun(at.browser);
    const events = await openEvents(at.browser, `/platform/runs/${id}/events`);
    assert.equal(progressIn((await events.next()).value.data).status, 'waiting');
    const upload = slowUpload(at, 'PUT', `/platform/runs/${id}/input`);
    const answered = once(upload, 'response');
    const csv = personas(5_000);
    const half = csv.indexOf('\n', csv.length / 2) + 1;
    upload.write(csv.slice(0, half));
    await until(async () => (await filesOfRun(at, id)).includes('input'), 'it is stored');
    const downloading = at.browser.fetch(`/platform/runs/${id}/output`);
    upload.end(csv.slice(half));
    const download = await downloading;
    assert.equal(
      download.headers.get('content-disposition'),
      `attachment; filename="personas-scored.csv"; filename*=UTF-8''personas-scored.csv`,
    );
    const text = await download.text();
    assert.equal(text.split('\n').length, 5_002);
    assert.equal(await textOf(at.browser, `/platform/runs/${id}/output`), text);
    const last = progressIn((await allEvents(events)).at(-1)?.data);
    assert.deepEqual([last.status, last.rows.read, last.rows.rejected], ['finished', 5_000, 0]);
    const [answer] = await answered;
    assert.equal(answer.resume().statusCode, 200);
    const summary = JSON.parse(await readFile(join(at.home, 'runs', id, 'summary.json'), 'utf8'));
    assert.deepEqual([summary.status, summary.rows.scored, summary.report], ['finished', 5_000, 'one']);
    assert.ok(!(await filesOfRun(at, id)).includes('input'), 'the file is not kept');
  });

  it('is scored to its end although its page was left once it had arrived', async () => {
    const at = platform();
    const id = await createdRun(at.browser);
    const upload = slowUpload(at, 'PUT', `/platform/runs/${id}/input`);
    upload.end(personas(60_000));
    const events = await openEvents(at.browser, `/platform/runs/${id}/events`);
    let last: StoredProgress | undefined;
    for await (const { data } of events) {
      last = progressIn(data);
      if (last.status === 'running' && !upload.destroyed) {
        upload.destroy();
        assert.match(await at.browser.page(`/runs?run=${id}`), /is being scored|60,000 rows scored/);
      }
    }
    assert.deepEqual([last?.status, last?.rows.scored], ['finished', 60_000]);
    assert.equal((await textOf(at.browser, `/platform/runs/${id}/output`)).split('\n').length, 60_002);
    assert.match(await at.browser.page(`/runs?run=${id}`), /60,000 rows scored.*Download the output/s);
  });

  it('waits for the memory that uploads have, if it needs much itself', async t => {
    const at = await platformWithReports(t, { limits: { uploadBytes: UPLOAD_THREAD_BYTES } });
    const data = slowUpload(at, 'POST', '/platform/data');
    data.write('a,b\n1,2\n');
    await until(async () => (await readdir(join(at.home, 'data')).catch(() => [])).length > 0);
    const waiting = await createdRun(at.browser, { file: 'personas.parquet' });
    let isScored = false;
    const sent = sendInput(at.browser, waiting, await parquetOf(personas(20))).then(response => {
      isScored = true;
      return response;
    });
    const other = await createdRun(at.browser);
    assert.equal((await sendInput(at.browser, other, personas(20))).status, 200);
    assert.ok(!isScored);
    data.destroy();
    const run = progressIn(await (await sent).json());
    assert.deepEqual([run.status, run.rows.scored], ['finished', 20]);
  });

  it('whose connection breaks while it arrives never passes for complete', async () => {
    const at = platform();
    const id = await createdRun(at.browser);
    const upload = slowUpload(at, 'PUT', `/platform/runs/${id}/input`);
    upload.write(personas(3_000));
    await until(async () => (await filesOfRun(at, id)).includes('input'), 'it is stored');
    const download = at.browser.fetch(`/platform/runs/${id}/output`);
    upload.destroy();
    assert.equal(await problemOf(await download), '404 no_output');
    const [last] = (await allEvents(await openEvents(at.browser, `/platform/runs/${id}/events`))).slice(-1);
    const run = progressIn(last?.data);
    assert.equal(run.status, 'failed');
    assert.match(run.problem?.message ?? '', /ended prematurely/);
    assert.equal(await problemOf(await at.browser.fetch(`/platform/runs/${id}/output`)), '404 no_output');
    assert.deepEqual(await filesOfRun(at, id), ['run.json', 'summary.json']);
    assert.match(await at.browser.page('/runs'), /ended prematurely/);
  });

  it('is refused with its line and reason', async () => {
    const at = platform();
    for (const [csv, message] of [
      ['id,plan,__proto__\n1,Basic,2\n', /monthly amount/],
      ['id,monthly amount,__proto__,plan\n1,2,3,"Basic\n', /line 2: .*quote/],
      ['', /empty/],
    ] as const) {
      const { status, problem } = await scoredRun(at.browser, csv);
      assert.equal(status, 'failed');
      assert.match(problem?.message ?? '', message);
    }
  });

  slow('may have any name', async () => {
    const at = platform();
    for (const name of [
      '../../../etc/passwd',
      'C:\\temp\\x.csv',
      '<script>alert(1)</script>.csv',
      'a\u202ecsv.exe',
      '=cmd|"/c calc".csv',
      '.',
      '..',
      '"; filename="x',
      'ä\r\nset-cookie: x.csv',
      '\ud800.csv',
      `${'n'.repeat(900)}.csv`,
      ' ',
    ]) {
      const { id, status } = await scoredRun(at.browser, personas(3), { file: name });
      assert.equal(status, 'finished', name);
      const download = await at.browser.fetch(`/platform/runs/${id}/output`);
      assert.match(
        download.headers.get('content-disposition') ?? '',
        /^attachment; filename="[\w.-]+"; filename\*=UTF-8''[\w.%~-]+$/,
      );
      await download.body?.cancel();
    }
    const page = await at.browser.page('/runs');
    assert.ok(!page.includes('<script>alert'));
    assert.ok(!page.includes('\u202e'));
    assert.deepEqual(
      (await readdir(join(at.home, 'runs'))).filter(name => !/^[0-9a-f]{20}$/.test(name)),
      [],
    );
  });

  it('counts against the quota', async t => {
    const at = await platformWithReports(t, { dataBytes: 100_000 });
    const run = await scoredRun(at.browser, personas(10_000));
    assert.deepEqual([run.status, run.problem?.code], ['failed', 'quota_exceeded']);
    // The output of one takes 35 KB, its file 15 KB until it is scored, and each run a few KB for what is known of it.
    const next = async () => {
      const { id, status, problem } = await scoredRun(at.browser, personas(750));
      return { id, result: problem?.code ?? status };
    };
    const [first, second, third] = [await next(), await next(), await next()];
    assert.deepEqual([first.result, second.result, third.result], ['finished', 'finished', 'quota_exceeded']);
    assert.equal((await at.browser.submit(`/platform/runs/${first.id}/delete`)).status, 303);
    assert.equal((await next()).result, 'finished');
  });

  slow('counts against the quota with its rejects too, and leaves nothing if they do not fit', async t => {
    const at = await platformWithReports(t, { dataBytes: 100_000 });
    const [header = '', ...rows] = personas(1_000).trim().split('\n');
    const rejected = `${header}\n${rows.map(row => `${row}\n${'too few fields'.repeat(20)}\n`).join('')}`;
    const { id, status, problem } = await scoredRun(at.browser, rejected);
    assert.deepEqual([status, problem?.code], ['failed', 'quota_exceeded']);
    assert.deepEqual(await filesOfRun(at, id), ['run.json', 'summary.json']);
  });

  it('needs a key with the scope predict', async () => {
    const at = platform();
    const reader = await signInWithKey(at, 'reader', { scopes: ['report', 'platform'] });
    assert.equal(await problemOf(await createRun(reader)), '403 missing_scope');
    assert.match(await reader.page('/runs'), /it needs the scope <code>predict/);
  });

  it('is offered without reading the reports, which may be large', { timeout: 60_000 }, async t => {
    const at = await platformWithReports(t);
    const folder = join(at.home, 'reports', 'endless');
    await mkdir(folder);
    // What reads it waits forever.
    for (const name of ['report.json', 'model.zip', 'SHA256SUMS']) await makeFifo(join(folder, name));
    assert.match(await at.browser.page('/runs'), /<option value="endless">/);
  });

  it('is seen by its own key, and by those that may do everything', async () => {
    const at = platform();
    const ann = await signInWithKey(at, 'ann', { reports: ['one'] });
    const bob = await signInWithKey(at, 'bob', { reports: ['one', 'two'] });
    const { id } = await scoredRun(ann, withRejects);
    assert.equal(await problemOf(await createRun(ann, { report: 'two' })), '404 no_such_report');
    assert.equal(await problemOf(await createRun(at.browser, { report: 'none' })), '404 no_such_report');
    assert.match(await ann.page('/runs'), new RegExp(`run-${id}`));
    assert.ok(!(await ann.page('/runs')).includes('>two<'));
    assert.match(await at.browser.page('/runs'), new RegExp(`run-${id}`));
    assert.ok(!(await bob.page('/runs')).includes(`run-${id}`));
    for (const path of ['output', 'rejects', 'events'])
      assert.equal(await problemOf(await bob.fetch(`/platform/runs/${id}/${path}`)), '404 no_such_run');
    assert.equal(
      await problemOf(await bob.fetch(`/platform/runs/${id}`, { method: 'DELETE' })),
      '404 no_such_run',
    );
    assert.equal((await ann.fetch(`/platform/runs/${id}`, { method: 'DELETE' })).status, 204);
    assert.equal(await problemOf(await ann.fetch(`/platform/runs/${id}/output`)), '404 no_such_run');
  });

  it('is not seen by a later key of the same name', async () => {
    const at = platform();
    const first = await signInWithKey(at, 'eve', { reports: ['one'] });
    const { id } = await scoredRun(first, personas(3));
    await revokeKey(at.home, 'eve');
    const later = await signInWithKey(at, 'eve', { reports: ['one'] });
    assert.ok(!(await later.page('/runs')).includes(`run-${id}`));
    assert.equal(await problemOf(await later.fetch(`/platform/runs/${id}/output`)), '404 no_such_run');
  });

  slow('is taken once, and can be deleted while it is scored', async t => {
    const at = await platformWithReports(t);
    const id = await createdRun(at.browser);
    const upload = slowUpload(at, 'PUT', `/platform/runs/${id}/input`);
    const events = await openEvents(at.browser, `/platform/runs/${id}/events`);
    upload.end(personas(200_000));
    let isRunning = false;
    for await (const { data } of events) {
      isRunning = progressIn(data).status === 'running';
      if (isRunning) break;
    }
    assert.ok(isRunning);
    assert.equal(await problemOf(await sendInput(at.browser, id, personas(1))), '409 run_begun');
    assert.equal((await at.browser.fetch(`/platform/runs/${id}`, { method: 'DELETE' })).status, 204);
    assert.deepEqual(await readdir(join(at.home, 'runs')), []);
    upload.destroy();
  });

  slow('tells those who watch it that it was deleted, also while it waits for its file', async () => {
    const at = platform();
    const id = await createdRun(at.browser);
    const events = await openEvents(at.browser, `/platform/runs/${id}/events`);
    assert.equal((await at.browser.fetch(`/platform/runs/${id}`, { method: 'DELETE' })).status, 204);
    const last = progressIn((await allEvents(events)).at(-1)?.data);
    assert.deepEqual([last.status, last.problem?.message], ['failed', 'The run was deleted.']);
  });

  slow('is not deleted by another process while it is scored', async t => {
    const at = platform();
    const other = await signIn(await servingPlatform(t, { home: at.home }));
    const id = await createdRun(at.browser);
    const upload = slowUpload(at, 'PUT', `/platform/runs/${id}/input`);
    const answered = once(upload, 'response');
    upload.write(personas(2_000));
    await until(async () => (await filesOfRun(at, id)).includes('input'), 'it is stored');
    const refused = await other.fetch(`/platform/runs/${id}`, { method: 'DELETE' });
    assert.equal(await problemOf(refused), '409 not_running_here');
    upload.end();
    const [answer] = await answered;
    assert.equal(progressIn(JSON.parse(await text(answer))).status, 'finished');
    assert.equal((await other.fetch(`/platform/runs/${id}`, { method: 'DELETE' })).status, 204);
  });

  it('is one of at most twenty of its key that go on, however many are begun at once', async t => {
    const at = await platformWithReports(t);
    const responses = await Promise.all(Array.from({ length: 25 }, () => createRun(at.browser)));
    const refused = responses.filter(({ status }) => status !== 201);
    assert.equal(refused.length, 5);
    for (const response of refused) assert.equal(await problemOf(response), '429 too_many_runs');
  });

  it('watches at most eight runs for a session', async t => {
    const at = await platformWithReports(t);
    const id = await createdRun(at.browser);
    const first = await openEvents(at.browser, `/platform/runs/${id}/events`);
    const streams = [first];
    for (let i = 1; i < 8; i++) streams.push(await openEvents(at.browser, `/platform/runs/${id}/events`));
    assert.equal(await problemOf(await at.browser.fetch(`/platform/runs/${id}/events`)), '503 busy');
    await first.next();
    await first.return(undefined);
    await until(async () => (await at.browser.fetch(`/platform/runs/${id}/events`)).status === 200);
    // Signing out ends them all.
    await at.browser.submit('/platform/sign-out');
    for (const stream of streams.slice(1)) assert.equal((await allEvents(stream)).at(-1)?.event, 'closed');
  });
});

describe('the error of a run on the pages', () => {
  it('of a row group that is too large has a hint without options of the command line', () => {
    const error = new RowcastError('group_too_large', 'row group 1 has 10 rows', {
      hint: 'Raise --max-group-bytes.',
    });
    assert.equal(shownError(error, runHints).hint, 'Write the file with smaller row groups.');
  });
});
