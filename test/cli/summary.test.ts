import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Summary } from '../../src/runs/summary/summary.ts';
import { newFolder } from '../support/folder.ts';
import { exits, rowcast } from '../support/in-process.ts';
import { root } from '../support/root.ts';
import { send, startStub } from '../support/stub/service.ts';

const personas = join(root, 'fixtures/telecom-personas.csv');
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

describe('a summary', () => {
  it('contains rows, requests, retries by cause, bytes, time and checksums', async t => {
    const stub = await startStub(t, {
      behave: ({ number, response }) => {
        if (number % 4 !== 1) return false;
        send(response, 503, {}, { 'retry-after': '0' });
        return true;
      },
    });
    const folder = await newFolder(t);
    const { stderr } = await exits(
      rowcast(
        [
          'score',
          personas,
          ...'--report r -o out.csv --batch-rows 300 --checksum --summary s.json'.split(' '),
        ],
        { cwd: folder, env: stub.env },
      ),
      0,
    );
    const output = await readFile(join(folder, 'out.csv'));
    const input = await readFile(personas);
    const {
      columns,
      scores,
      digest,
      run_id,
      seconds,
      rows_per_second,
      latency_ms,
      started_at,
      finished_at,
      ...summary
    } = JSON.parse(await readFile(join(folder, 's.json'), 'utf8'));
    assert.equal(columns.length, new Set(columns.map(({ name }: { name: string }) => name)).size);
    assert.deepEqual(Object.keys(scores), ['no', 'yes']);
    assert.match(digest, new RegExp(`^${input.length}:[0-9a-f]{32}$`));
    assert.deepEqual(summary, {
      format: 1,
      version: JSON.parse(await readFile(join(root, 'package.json'), 'utf8')).version,
      status: 'finished',
      exit_code: 0,
      error: null,
      last: null,
      attempts: 1,
      resumed_from_row: null,
      input: personas,
      output: join(folder, 'out.csv'),
      rejects: null,
      service: stub.url,
      protocol: 'report',
      report: 'r',
      classes: ['no', 'yes'],
      prediction: { kind: 'distribution', classes: ['no', 'yes'] },
      options: { 'batch-rows': 300, checksum: true },
      rows: { read: 2000, scored: 2000, rejected: 0, rejected_by: {} },
      blank_lines: 0,
      batches: 7,
      // The report and 7 batches; every fourth batch request, starting with the first, is rejected.
      calls: 1 + stub.bodies.length,
      retries: { http_503: stub.bodies.length - 7 },
      bytes_in: input.length,
      bytes_out: output.length,
      sha256: { input: sha256(input), output: sha256(output) },
      labels: null,
      drift: null,
      warnings: [],
      runs: null,
    });
    assert.match(run_id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.ok(stub.bodies.length > 7);
    assert.ok(seconds > 0 && rows_per_second > 0);
    assert.ok(latency_ms.p50 <= latency_ms.p95 && latency_ms.p95 <= latency_ms.p99);
    assert.ok(Date.parse(started_at) <= Date.parse(finished_at));
    assert.match(stderr, /2,000 rows scored in .*\n {2}\d+ requests \(p50 .*retried: \d × http_503\n/);
  });

  it('has the checksums of the bytes that went through pipes, even if they are gzip', async t => {
    const stub = await startStub(t);
    const folder = await newFolder(t);
    const stdin = gzipSync('a,b\n1,2\n');
    const { stdout } = await rowcast(['score', '--report', 'r', '--checksum', '--summary', 's.json'], {
      cwd: folder,
      env: stub.env,
      stdin,
    });
    const summary = JSON.parse(await readFile(join(folder, 's.json'), 'utf8'));
    assert.deepEqual(summary.sha256, { input: sha256(stdin), output: sha256(stdout) });
    assert.deepEqual([summary.input, summary.output], ['stdin', 'stdout']);
  });

  it('names the same paths from every working directory', async t => {
    const { env } = await startStub(t);
    const folder = await newFolder(t);
    await mkdir(join(folder, 'data'));
    for (const name of ['a', 'b']) await writeFile(join(folder, `data/${name}.csv`), 'a,b\n1,2\n3\n');
    const pathsFrom = async (cwd: string, data: string): Promise<unknown> => {
      const files = ['-o', `${data}out-{name}.csv`, '--summary', `${data}s.json`];
      const inputs = [`${data}a.csv`, `${data}b.csv`];
      await rowcast(['score', ...inputs, ...files, '--report', 'r', '--if-exists', 'replace'], { cwd, env });
      const { input, output, runs } = JSON.parse(await readFile(join(folder, 'data/s.json'), 'utf8'));
      return [input, output, ...runs.map((run: Summary) => [run.input, run.output, run.rejects])];
    };
    const at = (name: string): string => join(folder, 'data', name);
    const expected = [
      `${at('a.csv')}, ${at('b.csv')}`,
      at('out-{name}.csv'),
      [at('a.csv'), at('out-a.csv'), at('out-a.csv.rejects')],
      [at('b.csv'), at('out-b.csv'), at('out-b.csv.rejects')],
    ];
    assert.deepEqual(await pathsFrom(folder, 'data/'), expected);
    assert.deepEqual(await pathsFrom(join(folder, 'data'), ''), expected);
  });

  it('reports that an input was not read to the end', async t => {
    const { env } = await startStub(t);
    const folder = await newFolder(t);
    const args = ['score', '--report', 'r', '--limit', '1', '--checksum', '--summary', 's.json'];
    await rowcast(args, { cwd: folder, env, stdin: `a\n${'1\n'.repeat(200_000)}` });
    const summary = JSON.parse(await readFile(join(folder, 's.json'), 'utf8'));
    assert.equal(summary.sha256.input, null);
    assert.equal(summary.rows.read, 1);
  });
});
