import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { RowcastError } from '../../src/base/errors.ts';
import type { Scorer } from '../../src/scoring/scorer.ts';
import { diskFiles, type Files } from '../../src/storage/durable-files.ts';
import { newFolder } from '../support/folder.ts';
import { job } from '../support/scoring/job.ts';
import { numbers } from '../support/scoring/predictions.ts';
import { rowScorer } from '../support/scoring/row-scorer.ts';
import { score } from '../support/scoring/score.ts';

const BATCHES = 20;
const BATCH_ROWS = 10;

/** A disk that is slower than the scorer. */
const slowFiles: Files = {
  ...diskFiles,
  async open(path, access) {
    const file = await diskFiles.open(path, access);
    return {
      ...file,
      async append(bytes) {
        for (let turn = 0; turn < 100; turn++) await nextTurn();
        await file.append(bytes);
      },
    };
  },
};

/**
 * Scores twenty batches, so that the run stops.
 *
 * @param before called for each request, with its number
 * @returns the first row that was not kept, and the number of requests
 */
async function rowOfStopped(
  t: TestContext,
  { concurrency, before, stop }: { concurrency: number; before(n: number): unknown; stop?: AbortSignal },
) {
  const folder = await newFolder(t);
  const ids = Array.from({ length: BATCHES * BATCH_ROWS }, (_, row) => `${row}\n`);
  const [input, output] = [join(folder, 'in.csv'), join(folder, 'out.csv')];
  await writeFile(input, `id\n${ids.join('')}`);
  const usual = rowScorer(rows => numbers(rows.map(([id]) => Number(id))));
  let requests = 0;
  const scorer: Scorer = {
    ...usual,
    open(opening) {
      const opened = usual.open(opening);
      return {
        ...opened,
        concurrency,
        async tryPart(...request) {
          await before(++requests);
          return opened.tryPart(...request);
        },
      };
    },
  };
  let row: number | undefined;
  const suspended = (point: { row: number }): void => {
    row = point.row;
  };
  const options = job({ input, output, batchRows: BATCH_ROWS });
  await assert.rejects(score(options, scorer, { suspended, ...(stop && { stop }) }, { files: slowFiles }));
  return { row, requests };
}

describe('a run that stops', () => {
  it('keeps all rows before the first batch that failed, also if all responses come at once', async t => {
    let release = (): void => {};
    const released = new Promise<void>(resolve => {
      release = resolve;
    });
    const { row } = await rowOfStopped(t, {
      concurrency: BATCHES,
      async before(n) {
        if (n === BATCHES) release();
        await released;
        if (n === BATCHES) throw new RowcastError('out_of_order', 'gone', { severity: 'temporary' });
      },
    });
    assert.equal(row, (BATCHES - 1) * BATCH_ROWS + 1);
  });

  it('by a signal sends no request that it has not begun', async t => {
    const stopper = new AbortController();
    const { row, requests } = await rowOfStopped(t, {
      concurrency: 1,
      stop: stopper.signal,
      before(n) {
        if (n === 3) stopper.abort();
      },
    });
    assert.deepEqual([requests, row], [3, 3 * BATCH_ROWS + 1]);
  });
});
