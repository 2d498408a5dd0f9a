import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Summary } from '../../src/runs/summary/summary.ts';
import { commandsIn, wordsOf } from '../support/cli/commands.ts';
import { exits } from '../support/in-process.ts';
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
    const { run, bytesIn, jsonIn, path } = await commandsIn(t, {}, stub.env);
    const options = '--report r -o out.csv --batch-rows 300 --checksum --summary s.json';
    const { stderr } = await exits(run(['score', personas, ...wordsOf(options)]), 0);
    const output = await bytesIn('out.csv');
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
    } = await jsonIn('s.json');
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
      output: path('out.csv'),
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
    const { run, jsonIn } = await commandsIn(t, {}, (await startStub(t)).env);
    const stdin = gzipSync('a,b\n1,2\n');
    const { bytes } = await run('score --report r --checksum --summary s.json', { stdin });
    const summary = await jsonIn('s.json');
    assert.deepEqual(summary.sha256, { input: sha256(stdin), output: sha256(bytes) });
    assert.deepEqual([summary.input, summary.output], ['stdin', 'stdout']);
  });

  it('names the same paths from every working directory', async t => {
    const { env } = await startStub(t);
    const rows = 'a,b\n1,2\n3\n';
    const { run, path, jsonIn } = await commandsIn(t, { 'data/a.csv': rows, 'data/b.csv': rows }, env);
    const pathsFrom = async (cwd: string, data: string): Promise<unknown> => {
      const files = `${data}a.csv ${data}b.csv -o ${data}out-{name}.csv --summary ${data}s.json`;
      await run(`score ${files} --report r --if-exists replace`, { cwd });
      const { input, output, runs } = await jsonIn('data/s.json');
      return [input, output, ...runs.map((run: Summary) => [run.input, run.output, run.rejects])];
    };
    const at = (name: string): string => path(`data/${name}`);
    const expected = [
      `${at('a.csv')}, ${at('b.csv')}`,
      at('out-{name}.csv'),
      [at('a.csv'), at('out-a.csv'), at('out-a.csv.rejects')],
      [at('b.csv'), at('out-b.csv'), at('out-b.csv.rejects')],
    ];
    assert.deepEqual(await pathsFrom(path(''), 'data/'), expected);
    assert.deepEqual(await pathsFrom(path('data'), ''), expected);
  });

  it('reports that an input was not read to the end', async t => {
    const { run, jsonIn } = await commandsIn(t, {}, (await startStub(t)).env);
    const stdin = `a\n${'1\n'.repeat(200_000)}`;
    await run('score --report r --limit 1 --checksum --summary s.json', { stdin });
    const summary = await jsonIn('s.json');
    assert.equal(summary.sha256.input, null);
    assert.equal(summary.rows.read, 1);
  });
});
