import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chosenShards } from '../../../src/shards/work/work.ts';

describe('the shards of a worker', () => {
  it('are any if nobody says which', () => {
    assert.equal(chosenShards(undefined, 1, {}), undefined);
    assert.equal(chosenShards('any', 1, { JOB_COMPLETION_INDEX: '3' }), undefined);
  });

  for (const name of ['JOB_COMPLETION_INDEX', 'SLURM_ARRAY_TASK_ID', 'AWS_BATCH_JOB_ARRAY_INDEX'])
    it(`follow ${name}`, () => assert.deepEqual(chosenShards(undefined, 1, { [name]: '12' }), [12]));

  it('are those of --shard, whatever the scheduler says', () => {
    assert.deepEqual(chosenShards('0', 1, { SLURM_ARRAY_TASK_ID: '12' }), [0]);
  });

  it('are blocks with --shards-per-task', () => {
    assert.deepEqual(chosenShards('2', 3, {}), [6, 7, 8]);
  });

  for (const text of ['-1', '1.5', 'seven', ''])
    it(`are refused as ${JSON.stringify(text)}`, () =>
      assert.throws(() => chosenShards(text, 1, {}), { code: 'bad_option', message: /--shard: expected/ }));

  it('are refused by the name of the variable', () => {
    assert.throws(
      () => chosenShards(undefined, 1, { SLURM_ARRAY_TASK_ID: 'x' }),
      /SLURM_ARRAY_TASK_ID: expected/,
    );
  });
});
