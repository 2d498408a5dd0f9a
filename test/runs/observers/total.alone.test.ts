import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { KeptSummaries } from '../../../src/runs/observers/total.ts';
import { RunTracker } from '../../../src/runs/run-tracker.ts';
import type { Summary } from '../../../src/runs/summary/summary.ts';

const summaryOf = (input: string): Summary =>
  new RunTracker({
    names: {
      version: '1',
      input,
      output: `${input}.out`,
      rejects: null,
      hasNamedRejects: false,
      report: 'r',
      options: {},
    },
  }).state;
const inputsOf = (summaries: Iterable<Summary>): string[] => Array.from(summaries, ({ input }) => input);

describe('kept summaries', () => {
  it('are read in the order of the files, in whichever order they were added', () => {
    const kept = new KeptSummaries();
    const [a, b, c] = ['a', 'b', 'ü'.repeat(3000)].map(summaryOf) as [Summary, Summary, Summary];
    kept.set(3, c);
    kept.set(0, a);
    assert.deepEqual([kept.length, inputsOf(kept)], [2, ['a', c.input]]);
    kept.set(1, b);
    assert.deepEqual([...kept], [a, b, c]);
    assert.deepEqual(JSON.parse(JSON.stringify({ kept })), { kept: [a, b, c] });
  });

  it('stay in memory where no temporary file can be written', t => {
    const before = process.env.TMPDIR;
    t.after(() => {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
    });
    process.env.TMPDIR = '/no/such/folder';
    const kept = new KeptSummaries();
    kept.set(0, summaryOf('a'));
    kept.set(1, summaryOf('b'));
    assert.deepEqual(inputsOf(kept), ['a', 'b']);
  });
});
