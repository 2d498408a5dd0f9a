import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { readCheckpoint } from '../../../src/runs/checkpoint/checkpoint.ts';
import { job } from '../../support/scoring/job.ts';
import { score } from '../../support/scoring/score.ts';
import { type Operation, type Recorder, recordedFiles } from './recorded-files.ts';
import { scoredRows } from './scored-rows.ts';

/** An uninterrupted run; `rows` determines the number of members of its gzip output. */
async function run(t: TestContext, recorder: Recorder, name = 'out.csv', rows = 12): Promise<void> {
  const { folder, client, options } = await scoredRows(t, { rows, batchRows: rows / 4 });
  const output = join(folder, name);
  await score(job({ ...options, output }), client, {}, { files: recordedFiles(recorder) });
}

describe('the order of file operations in a run', () => {
  for (const { name, rows } of [
    { name: 'out.csv', rows: 12 },
    { name: 'out.csv.gz', rows: 8000 },
  ])
    it(`syncs every byte before a checkpoint covers it, in ${name}`, async t => {
      let written = 0;
      let durable = 0;
      let reached = 0;
      let vouched = 0;
      const before = ({ text, bytes }: Operation): void => {
        if (text === `sync ${name}.partial`) reached = written;
        if (text !== `write ${name}.checkpoint.new`) return;
        const { output } = readCheckpoint(Buffer.from(bytes ?? []).toString(), text);
        assert.ok(output.bytes <= durable, `${output.bytes} bytes are covered, ${durable} are durable`);
        vouched++;
      };
      const after = ({ text, end = 0 }: Operation): void => {
        if (text === `write ${name}.partial`) written = end;
        if (text === `sync ${name}.partial`) durable = reached;
      };
      await run(t, { before, after }, name, rows);
      assert.ok(vouched >= 2 && durable > 0);
    });

  it('makes the name of the partial file durable first, syncs each checkpoint before it replaces the previous one, and renames OUTPUT only once a complete one is saved', async t => {
    const done: string[] = [];
    let renames = 0;
    let state: string | undefined;
    const before = ({ text, bytes }: Operation): void => {
      if (text === 'write out.csv.checkpoint.new')
        state = readCheckpoint(Buffer.from(bytes ?? []).toString(), text).state;
      if (/^rename out\.csv(\.rejects\.csv)?\.partial /.test(text)) assert.equal(state, 'complete');
      if (text !== 'rename out.csv.checkpoint.new to out.csv.checkpoint') return;
      const own = done.filter(each => each.endsWith(' out.csv.checkpoint.new'));
      assert.deepEqual(
        own.slice(-5).map(each => each.split(' ')[0]),
        ['open', 'truncate', 'write', 'sync', 'close'],
      );
      renames++;
    };
    await run(t, { before, after: ({ text }) => done.push(text) });
    assert.ok(renames >= 2);
    assert.deepEqual(done.slice(0, 7), [
      'remove out.csv.checkpoint',
      'sync folder',
      'open out.csv.partial',
      'truncate out.csv.partial',
      'remove out.csv.rejects.partial',
      'sync folder',
      'write out.csv.partial',
    ]);
    assert.deepEqual(done.slice(-7), [
      'rename out.csv.checkpoint.new to out.csv.checkpoint',
      'sync folder',
      'close out.csv.partial',
      'rename out.csv.partial to out.csv',
      'sync folder',
      'remove out.csv.checkpoint',
      'sync folder',
    ]);
  });
});
