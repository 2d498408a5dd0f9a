import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isRedrawn, progressText } from '../../../src/cli/terminal/progress.ts';
import type { RunProgress } from '../../../src/runs/observer.ts';
import { rowCountsOf } from '../../../src/scoring/row-counts.ts';

describe('whether a progress line is redrawn', () => {
  const shown = (
    output: string,
    stdout: boolean,
    logFormat: 'text' | 'json' = 'text',
    stderr = true,
    when: 'auto' | 'always' | 'never' = 'auto',
  ): boolean => isRedrawn({ when, output, logFormat }, { stdout, stderr });

  it('only on a terminal, and never between JSON lines', () => {
    assert.ok(shown('out.csv', true));
    assert.ok(shown('-', false));
    assert.ok(!shown('out.csv', true, 'text', false));
    assert.ok(!shown('out.csv', true, 'json'));
  });

  it('not on a terminal that shows the output', () => {
    for (const output of ['-', '/dev/stdout', '/dev/fd/1', '/dev/tty', '/dev/stderr'])
      assert.ok(!shown(output, true), output);
    assert.ok(!shown('/dev/tty', false));
  });

  it('always or never, if the command line says so', () => {
    assert.ok(shown('-', true, 'text', false, 'always'));
    assert.ok(!shown('out.csv', true, 'text', true, 'never'));
    assert.ok(!shown('out.csv', true, 'json', true, 'always'));
  });
});

describe('the progress of a run', () => {
  const rowCounts = { ...rowCountsOf(undefined), read: 1_250_000 };
  const fresh = { read: 0, fraction: 0 };
  const textOf = ({ cells }: { cells: readonly string[] }): string =>
    cells.filter(cell => cell !== '').join('  ');
  const line = (fraction: number | undefined, before: RunProgress['before'] = fresh): string =>
    textOf(progressText({ rowCounts, fraction, before }, 5, undefined));

  it('has the percentage, the rows, the rate and the remaining time', () => {
    assert.equal(line(0.31), '31%  1,250,000 rows  250,000 rows/s  about 12 s left');
    assert.match(line(0.0031), /^0% .* about 27 min left$/);
    assert.match(line(0.00031), /about 4\.5 h left$/);
    assert.match(line(1), /^100% .* about 0 s left$/);
  });

  it('has requests in flight, retries and rejects, where there are any', () => {
    const busy = { ...rowCounts, read: 10, rejected: 1, retries: { http_503: 2, service_timeout: 1 } };
    const report = progressText({ rowCounts: busy, fraction: 0.5, before: fresh }, 5, { inFlight: 16 });
    assert.equal(textOf(report), '50%  10 rows  2 rows/s  about 5 s left  1 reject  3 retries  16 in flight');
    assert.deepEqual(report.fields, {
      rows: { read: 10, scored: 0, rejected: 1 },
      percent: 50,
      rows_per_second: 2,
      eta_seconds: 5,
      in_flight: 16,
      retries: 3,
    });
  });

  it('has only what is known: a pipe has no size, and before the first row there is no rate', () => {
    assert.equal(line(undefined), '1,250,000 rows  250,000 rows/s');
    const before = { read: 0, fraction: 0.001 };
    const none = { rowCounts: rowCountsOf(undefined), fraction: 0.001, before };
    assert.equal(textOf(progressText(none, 0.2, undefined)), '0%  0 rows  0 rows/s');
  });

  it('has the rate of this process, without the rows before a resume', () => {
    const before = { read: 1_000_000, fraction: 0.8 };
    assert.equal(line(0.9, before), '90%  1,250,000 rows  50,000 rows/s  about 5 s left');
  });
});
