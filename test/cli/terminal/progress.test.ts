import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { progressLine, showsProgress } from '../../../src/cli/terminal/progress.ts';
import { accountsOf } from '../../../src/runs/accounts.ts';
import type { RunProgress } from '../../../src/scoring/observer.ts';

describe('whether progress is shown', () => {
  const shown = (
    output: string,
    stdout: boolean,
    logFormat: 'text' | 'json' = 'text',
    stderr = true,
  ): boolean => showsProgress({ output, logFormat }, { stdout, stderr });

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
});

describe('the progress line', () => {
  const accounts = { ...accountsOf(undefined), scored: 1_250_000 };
  const fresh = { scored: 0, fraction: 0 };
  const line = (fraction: number | undefined, before: RunProgress['before'] = fresh): string =>
    progressLine({ accounts, classes: [], fraction, before }, 5);

  it('shows the rows, the rate, the percentage and the remaining time', () => {
    assert.equal(line(0.31), '1,250,000 rows  250,000 rows/s  31%  about 12 s left');
    assert.match(line(0.0031), /0% {2}about 27 min left$/);
    assert.match(line(0.00031), /about 4\.5 h left$/);
    assert.match(line(1), /100% {2}about 0 s left$/);
  });

  it('shows only what is known: a pipe has no size, and before the first row there is no rate', () => {
    assert.equal(line(undefined), '1,250,000 rows  250,000 rows/s');
    const none = {
      accounts: { ...accounts, scored: 0 },
      classes: [],
      fraction: 0.001,
      before: { scored: 0, fraction: 0.001 },
    };
    assert.equal(progressLine(none, 0.2), '0 rows  0 rows/s  0%');
  });

  it('computes the rate from the rows of this process, not those scored before resuming', () => {
    const before = { scored: 1_000_000, fraction: 0.8 };
    assert.equal(line(0.9, before), '1,250,000 rows  50,000 rows/s  90%  about 5 s left');
  });
});
