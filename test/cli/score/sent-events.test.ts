import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import { classesOf } from '../../../src/base/contract/predictions.ts';
import { beginLineage } from '../../../src/cli/score/sent-events.ts';
import { SharedColumns } from '../../../src/runs/observers/lineage/lineage-settings.ts';
import type { RunColumns } from '../../../src/runs/run-columns.ts';
import { RunTracker } from '../../../src/runs/run-tracker.ts';

const names = {
  version: '1.0.0',
  input: 'in.csv',
  output: 'out.csv',
  rejects: null,
  hasNamedRejects: false,
  report: 'r',
  options: {},
};

describe('the lineage of a run that is sent', () => {
  it('is a warning if its events cannot be made: the run has its own result', async () => {
    const warnings: string[] = [];
    const log = pino({ base: null }, { write: line => void warnings.push(JSON.parse(line).msg) });
    const lineage = await beginLineage({ env: { OPENLINEAGE_URL: 'http://127.0.0.1:9' }, log });
    const tracker = new RunTracker({ names });
    tracker.columnsOf = () => {
      throw new Error('no columns');
    };
    await tracker.fail(new Error('the reason'));
    lineage?.started(tracker);
    lineage?.ended(tracker);
    await lineage?.close(AbortSignal.abort());
    assert.deepEqual(warnings, ['lineage events cannot be sent: no columns']);
  });
});

describe('the columns of finished runs', () => {
  it('are kept once for all files that have the same', () => {
    const of = (name: string): RunColumns => ({
      input: [{ name }],
      output: predictionType => [
        { name },
        ...classesOf(predictionType ?? undefined).map(label => ({ name: label, type: 'number' })),
      ],
    });
    const columns = new SharedColumns();
    const predictionType = { kind: 'distribution', classes: ['no', 'yes'] } as const;
    columns.add('1', of('a'), predictionType);
    columns.add('2', of('a'), predictionType);
    columns.add('3', of('b'), null);
    const [first, second, third] = ['1', '2', '3'].map(id => columns.of(id));
    assert.equal(first?.input, second?.input);
    assert.equal(first?.output(null), second?.output(null));
    assert.deepEqual(first?.output(null), [
      { name: 'a' },
      { name: 'no', type: 'number' },
      { name: 'yes', type: 'number' },
    ]);
    assert.deepEqual([third?.input, columns.of('4')], [[{ name: 'b' }], undefined]);
  });
});
