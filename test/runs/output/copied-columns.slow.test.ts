import assert from 'node:assert/strict';
import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { openParquet } from '../../../src/formats/parquet/footer/parquet-file.ts';
import { newFolder } from '../../support/folder.ts';
import { withObjectStore } from '../../support/object-store/object-backend.ts';
import { startObjectService } from '../../support/object-store/object-service.ts';
import { parquetOf, storedBytes } from '../../support/parquet.ts';
import { job } from '../../support/scoring/job.ts';
import { numbers } from '../../support/scoring/predictions.ts';
import { rowScorer } from '../../support/scoring/row-scorer.ts';
import { score } from '../../support/scoring/score.ts';

const ROWS = 4_000;

/** Four groups with a column that is scored, and one that is copied without being decoded. */
const INPUT = await parquetOf(
  `id,note\n${Array.from({ length: ROWS }, (_, row) => `${row},note ${row / 7}\n`).join('')}`,
);

const { groups } = await openParquet(storedBytes(INPUT), 'in.parquet');

/** The input with a byte of the copied column changed. */
const inputChangedIn = (group: number): Buffer => changedAt((groups[group]?.range(1).to ?? 0) - 1);

function changedAt(at: number): Buffer {
  const changed = Buffer.from(INPUT);
  changed[at] = (INPUT[at] ?? 0) ^ 1;
  return changed;
}

/** Predicts a number from the first column, up to some row. */
const scorerUpTo = (last: number) =>
  rowScorer(
    rows => {
      const ids = rows.map(([id]) => Number(id));
      if (ids.some(id => id > last)) throw new Error('the run is stopped');
      return numbers(ids);
    },
    { predicts: 'plan', predictionType: { kind: 'numbers', names: [] } },
  );

const options = { features: ['id'], checkpointInterval: 0 };

/** A run of two groups that was stopped. */
async function stopped(t: TestContext) {
  const folder = await newFolder(t);
  const at = (name: string): string => join(folder, name);
  await writeFile(at('in.parquet'), INPUT);
  const run = (last: number, more: object = {}) =>
    score(job({ input: at('in.parquet'), output: at('out.parquet'), ...options, ...more }), scorerUpTo(last));
  await assert.rejects(run(2_500), /the run is stopped/);
  const { output } = JSON.parse(await readFile(at('out.parquet.checkpoint'), 'utf8'));
  assert.equal(output.notes.length, 2);
  const { mtime } = await stat(at('in.parquet'));
  return { at, folder, run, mtime };
}

describe('a run that copies columns of its input', () => {
  for (const [what, changed, says] of [
    [
      'something in the footer',
      changedAt(INPUT.indexOf('version 1')),
      /the footer of the input.* has changed/,
    ],
    [
      'a value of the last group that was copied',
      inputChangedIn(1),
      /columns are not those that were copied/,
    ],
    ['a value of an earlier group', inputChangedIn(0), /columns are not those that were copied/],
  ] as const)
    it(`is not resumed if only they have changed: ${what}`, async t => {
      const { at, folder, run } = await stopped(t);
      await writeFile(at('in.parquet'), changed);
      await assert.rejects(run(ROWS), { code: 'other_work', message: says });
      assert.deepEqual((await readdir(folder)).sort(), [
        'in.parquet',
        'out.parquet.checkpoint',
        'out.parquet.partial',
      ]);
      await run(ROWS, { restartIfChanged: true });
      await score(
        job({ input: at('in.parquet'), output: at('whole.parquet'), ...options }),
        scorerUpTo(ROWS),
      );
      assert.deepEqual(await readFile(at('out.parquet')), await readFile(at('whole.parquet')));
    });

  it('is not resumed if they have changed and the time of the file has not', async t => {
    const { at, run, mtime } = await stopped(t);
    await writeFile(at('in.parquet'), inputChangedIn(1));
    await utimes(at('in.parquet'), mtime, mtime);
    await assert.rejects(run(ROWS), { code: 'other_work' });
  });

  it('is resumed with the same bytes if only the time of the file has changed', async t => {
    const { at, run } = await stopped(t);
    const whole = job({ input: at('in.parquet'), output: at('whole.parquet'), ...options });
    await score(whole, scorerUpTo(ROWS));
    await writeFile(at('in.parquet'), INPUT);
    const result = await run(ROWS);
    assert.equal(result?.resumedFrom, 2_001);
    assert.deepEqual(await readFile(at('out.parquet')), await readFile(at('whole.parquet')));
  });

  it('is not resumed onto another version of an object', async t => {
    const service = await startObjectService(t);
    const backends = withObjectStore(service.endpoint);
    service.put('/in.parquet', INPUT);
    const [input, output] = ['/in.parquet', '/out.parquet'].map(name => service.nameOf(name));
    const files = job({ input: input ?? '', output: output ?? '', ...options });
    await assert.rejects(score(files, scorerUpTo(2_500), {}, { backends }), /the run is stopped/);
    service.put('/in.parquet', inputChangedIn(0));
    await assert.rejects(score(files, scorerUpTo(ROWS), {}, { backends }), { code: 'other_work' });
    service.put('/in.parquet', INPUT);
    await score(files, scorerUpTo(ROWS), {}, { backends });
    assert.ok(service.objects.has('/out.parquet'));
  });
});
