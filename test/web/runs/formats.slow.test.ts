import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { newFolder } from '../../support/folder.ts';
import { rowcast } from '../../support/in-process.ts';
import { parquetOf, textOfParquet } from '../../support/parquet.ts';
import { problemOf } from '../../support/service/client.ts';
import { ownTrainedHome } from '../../support/service/serving.ts';
import { until } from '../../support/until.ts';
import { type OwnedPlatform, platformWithReports, servingPlatform } from '../../support/web/platform.ts';
import { createdRun, filesOfRun, scoredRun } from '../../support/web/runs.ts';
import { slowUpload } from '../../support/web/uploads.ts';

async function downloaded({ browser }: OwnedPlatform, path: string) {
  const response = await browser.fetch(path);
  assert.equal(response.status, 200, path);
  return {
    type: response.headers.get('content-type'),
    name: /filename="([^"]*)"/.exec(response.headers.get('content-disposition') ?? '')?.[1],
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}

const names = ['id', 'monthly amount', 'plan', '__proto__'];
const rowsOf = (rows: number): string[][] =>
  Array.from({ length: rows }, (_, row) => [
    `p${row}`,
    `${(row % 50) + 0.25}`,
    row % 3 ? 'プレミアム' : 'Basic',
    `${row % 7}`,
  ]);
const csvOf = (rows: number): string => `${[names, ...rowsOf(rows)].map(row => row.join()).join('\n')}\n`;
const linesOf = (rows: number): string =>
  rowsOf(rows)
    .map(
      row =>
        `{${row.map((cell, at) => `${JSON.stringify(names[at])}: ${JSON.stringify(cell)}`).join(', ')}}\n`,
    )
    .join('');
const withBadLine = `${linesOf(40)}{"id": \n${linesOf(3)}`;

const LINES = 'application/x-ndjson';
const PARQUET = 'application/vnd.apache.parquet';

describe('a file of another format that is scored on the platform', () => {
  for (const [file, body, name, type] of [
    ['in.jsonl', linesOf(2_500), 'in-scored.jsonl', LINES],
    ['in.ndjson.gz', gzipSync(linesOf(300)), 'in-scored.ndjson', LINES],
    ['bad.jsonl', withBadLine, 'bad-scored.jsonl', LINES],
    ['nameless', gzipSync(linesOf(30)), 'nameless-scored.jsonl', LINES],
    [
      'in.parquet',
      parquetOf(csvOf(20_000), { groupRows: 20_000, numbers: ['monthly amount'] }),
      'in-scored.parquet',
      PARQUET,
    ],
    ['part.0', parquetOf(csvOf(300), { groupRows: 90 }), 'part.0-scored.parquet', PARQUET],
    ['in.tsv', csvOf(30).replaceAll(',', '\t'), 'in-scored.tsv', 'text/tab-separated-values; charset=utf-8'],
    ['in.txt', csvOf(30), 'in-scored.txt', 'text/csv; charset=utf-8'],
  ] as const)
    it(`gives the same bytes as rowcast score, with a name and a type that say what it is: ${file}`, async t => {
      const at = await platformWithReports(t);
      const bytes = Buffer.from(await body);
      const run = await scoredRun(at.browser, bytes, { file });
      assert.equal(run.status, 'finished', JSON.stringify(run));
      const output = await downloaded(at, `/platform/runs/${run.id}/output`);
      assert.deepEqual([output.name, output.type], [name, type]);
      const folder = await newFolder(t);
      await writeFile(join(folder, file), bytes);
      const own = join(folder, 'own');
      const options = ['--report', 'one', '--home', at.home];
      const { stderr, code } = await rowcast(['score', join(folder, file), '-o', own, ...options]);
      assert.ok(code === 0 || code === 1, stderr);
      assert.ok(output.bytes.equals(await readFile(own)), 'the same bytes');
      assert.equal(run.rows.rejected > 0, code === 1);
      assert.deepEqual(await filesOfRun(at, run.id), [
        'output',
        ...(code === 1 ? ['output.rejects'] : []),
        'run.json',
        'summary.json',
      ]);
      if (code === 0) return;
      const rejects = await downloaded(at, `/platform/runs/${run.id}/rejects`);
      assert.deepEqual([rejects.name, rejects.type], ['bad-rejects.jsonl', LINES]);
      assert.ok(rejects.bytes.equals(await readFile(`${own}.rejects`)));
    });

  it('comes back whole while it is made: Parquet', async t => {
    const at = await platformWithReports(t);
    const bytes = await parquetOf(csvOf(6_000), { groupRows: 500 });
    const id = await createdRun(at.browser, { file: 'in.parquet' });
    const upload = slowUpload(at, 'PUT', `/platform/runs/${id}/input`);
    const answered = once(upload, 'response');
    upload.write(bytes.subarray(0, 1_000));
    const download = downloaded(at, `/platform/runs/${id}/output`);
    upload.end(bytes.subarray(1_000));
    const { bytes: output, type } = await download;
    assert.equal(type, PARQUET);
    const [answer] = await answered;
    assert.equal(answer.resume().statusCode, 200);
    assert.ok(output.equals(await readFile(join(at.home, 'runs', id, 'output'))));
    assert.match(await textOfParquet(output), /\np5999,.*,0\.\d+,0\.\d+\n$/);
  });

  it('is refused with the reason, and nothing of it is left', async t => {
    const at = await platformWithReports(t);
    const whole = await parquetOf(csvOf(30));
    const more = csvOf(3).replaceAll(/^/gm, 'xx,').replace(/xx,$/, '');
    const twice = (await parquetOf(more)).toString('latin1').replaceAll('xx', 'id');
    for (const [file, body, code, message] of [
      ['a.parquet', whole.subarray(0, -20), 'bad_parquet', /cut off/],
      ['a.parquet', csvOf(3), 'bad_parquet', /called Parquet, but does not begin/],
      ['a.csv', whole, 'unsupported_format', /the file is Parquet, not CSV/],
      ['a.parquet', await parquetOf('id,plan\n1,Basic\n'), 'missing_columns', /monthly amount/],
      ['a.parquet', Buffer.from(twice, 'latin1'), 'duplicate_columns', /two columns "id"/],
    ] as const) {
      const run = await scoredRun(at.browser, body, { file });
      assert.deepEqual([run.status, run.problem?.code], ['failed', code], JSON.stringify(run.problem));
      assert.match(run.problem?.message ?? '', message);
      assert.deepEqual(await filesOfRun(at, run.id), ['run.json', 'summary.json']);
    }
  });

  it('counts against the quota while it is stored, with the columns that are copied', async t => {
    const at = await platformWithReports(t, { dataBytes: 40_000 });
    const bytes = await parquetOf(csvOf(5_000));
    assert.ok(bytes.length > 20_000 && bytes.length < 40_000, `${bytes.length} bytes`);
    const run = await scoredRun(at.browser, bytes, { file: 'in.parquet' });
    assert.deepEqual([run.status, run.problem?.code], ['failed', 'quota_exceeded']);
    assert.deepEqual(await filesOfRun(at, run.id), ['run.json', 'summary.json']);
    const small = await parquetOf(csvOf(200));
    assert.equal((await scoredRun(at.browser, small, { file: 'in.parquet' })).status, 'finished');
  });

  it('can be cancelled while it arrives', async t => {
    const at = await platformWithReports(t);
    const id = await createdRun(at.browser, { file: 'in.parquet' });
    const upload = slowUpload(at, 'PUT', `/platform/runs/${id}/input`);
    upload.write((await parquetOf(csvOf(3_000))).subarray(0, 1_000));
    await until(async () => (await filesOfRun(at, id)).includes('input'), 'it is stored');
    assert.equal((await at.browser.fetch(`/platform/runs/${id}`, { method: 'DELETE' })).status, 204);
    assert.deepEqual(await filesOfRun(at, id), []);
    assert.equal(await problemOf(await at.browser.fetch(`/platform/runs/${id}/output`)), '404 no_such_run');
    upload.destroy();
  });

  it('is removed when the service starts again after a kill', async t => {
    const home = await ownTrainedHome(t);
    const id = '01a21eb076517f664727';
    const folder = join(home, 'runs', id);
    await mkdir(folder, { recursive: true });
    const run = { format: 1, id, by: '(owner)', report: 'one', file: 'a.parquet', file_format: 'parquet' };
    await writeFile(join(folder, 'run.json'), JSON.stringify({ ...run, created_at: '2026-01-01T00:00:00Z' }));
    for (const name of ['input', 'output.partial']) await writeFile(join(folder, name), 'PAR1');
    await servingPlatform(t, { home });
    assert.deepEqual(await readdir(folder), ['run.json']);
  });
});
