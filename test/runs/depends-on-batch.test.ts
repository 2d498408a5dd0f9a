import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { RowcastError } from '../../src/base/errors.ts';
import { newFolder } from '../support/folder.ts';
import { job } from '../support/scoring/job.ts';
import { numbers } from '../support/scoring/predictions.ts';
import { rowScorer } from '../support/scoring/row-scorer.ts';
import { score } from '../support/scoring/score.ts';
import { slow } from '../support/slow.ts';

const ROWS = 2500;
const BATCH_ROWS = 250;
/** Long enough that the input has several gzip members, which end within batches otherwise. */
const NOTE = 'x'.repeat(1100);
const input = `id,note\n${Array.from({ length: ROWS }, (_, id) => `${id},${NOTE}${id % 11 === 0 ? '\n' : ''}\n`).join('')}`;

/**
 * Scores with a model whose predictions depend on the first row and the number of rows of their request, and fails at a
 * request.
 */
async function scoreUntil(folder: string, name: string, failing = Number.POSITIVE_INFINITY) {
  const requests: string[] = [];
  const scorer = rowScorer(rows => {
    const first = Number(rows[0]?.[0]);
    requests.push(`${first}+${rows.length}`);
    if (requests.length === failing)
      throw new RowcastError('out_of_order', 'the model is not there', { severity: 'temporary' });
    return numbers(rows.map(([id]) => Number(id) + first / ROWS + rows.length / 1e6));
  });
  const output = join(folder, name);
  const options = job({
    input: join(folder, 'in.csv'),
    output,
    batchRows: BATCH_ROWS,
    checkpointInterval: 0,
  });
  await score(options, { ...scorer, dependsOnBatch: true }).catch(error => {
    assert.equal(error.code, 'out_of_order', error);
  });
  return { requests, bytes: await readFile(output).catch(() => undefined) };
}

async function compare(t: TestContext, suffix: string): Promise<void> {
  const folder = await newFolder(t, { 'in.csv': input });
  const whole = await scoreUntil(folder, `whole${suffix}`);
  assert.ok(whole.requests.every(request => Number(request.split('+')[0]) % BATCH_ROWS === 0));
  for (const failing of [3, 6, 9]) {
    const name = `at-${failing}${suffix}`;
    const stopped = await scoreUntil(folder, name, failing);
    assert.equal(stopped.bytes, undefined);
    const { bytes, requests } = await scoreUntil(folder, name);
    assert.deepEqual(bytes, whole.bytes, name);
    // None that succeeded before the one that failed is sent again.
    assert.deepEqual([...stopped.requests.slice(0, failing - 1), ...requests], whole.requests);
  }
}

describe('a run whose predictions depend on the batch', () => {
  slow('makes the same requests after it was stopped, and so gives the same bytes', t => compare(t, '.csv'));

  slow('makes the same requests with a gzip output, too', t => compare(t, '.csv.gz'));

  it('is not resumed with batches of another size', async t => {
    const folder = await newFolder(t, { 'in.csv': input.replaceAll(NOTE, 'x') });
    await scoreUntil(folder, 'out.csv', 9);
    const { failure } = await refused(folder);
    assert.equal(failure.code, 'other_work');
    assert.match(failure.message, /--batch-rows was 250, now it is 300/);
  });
});

async function refused(folder: string): Promise<{ failure: RowcastError }> {
  const scorer = { ...rowScorer(() => assert.fail('no row is scored')), dependsOnBatch: true };
  const options = job({ input: join(folder, 'in.csv'), output: join(folder, 'out.csv'), batchRows: 300 });
  return score(options, scorer).then(
    () => assert.fail('it was resumed'),
    failure => ({ failure }),
  );
}
