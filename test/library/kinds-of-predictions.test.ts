import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Prediction } from '../../src/base/contract/schemas.ts';
import { scoreDefaults } from '../../src/base/options/values/run-values.ts';
import {
  CallError,
  type RowcastError,
  type ScoreOptions,
  type Scorer,
  score,
  verify,
} from '../../src/index.ts';
import { repair } from '../../src/runs/repair/repair.ts';
import { newFolder } from '../support/folder.ts';
import { slow } from '../support/slow.ts';

const rows = 60;
const input = `id,note\n${Array.from({ length: rows }, (_, id) => `${id},"note ${id}"\n`).join('')}`;

/** Each kind, as the page of a run calls it: what is predicted for a row, and its fields. */
const kinds = {
  'a label': {
    predict: (id: number): Prediction => ({ label: ['yes', 'no, "never"', '0'][id % 3] ?? '' }),
    header: 'predicted_plan',
    fields: (id: number) => ['yes', '"no, ""never"""', '0'][id % 3],
    kind: 'label',
  },
  'a number': {
    predict: (id: number): Prediction => ({ value: id / 7 }),
    header: 'predicted_plan',
    fields: (id: number) => String(id / 7),
    kind: 'numbers',
  },
  'the numbers mean, upper': {
    // The names come in another order from some row on.
    predict: (id: number): Prediction => ({
      values: id < 30 ? { mean: id / 4, upper: id } : { upper: id, mean: id / 4 },
    }),
    header: 'probability_mean,probability_upper',
    fields: (id: number) => `${id / 4},${id}`,
    kind: 'numbers',
  },
} as const;

/** A folder with an input, and runs of it with a scorer that predicts for ids. */
async function bench(t: TestContext) {
  const folder = await newFolder(t);
  const at = (name: string): string => join(folder, name);
  await writeFile(at('in.csv'), input);
  const scorerOf = (predict: (id: number) => Prediction): Scorer => ({
    name: 'mine',
    report: async () => ({ predicts: 'plan' }),
    score: async ({ personas }) => personas.map(({ id }) => predict(Number(id))),
    async close() {},
  });
  const run = { input: at('in.csv'), output: at('out.csv'), report: 'r' };
  const scoring = (predict: (id: number) => Prediction, more: Partial<ScoreOptions> = {}) =>
    score({ ...run, batchRows: 10, concurrency: 1, scorer: scorerOf(predict), ...more });
  return { at, scorerOf, run, scoring, text: () => readFile(at('out.csv'), 'utf8') };
}

for (const [name, { predict, header, fields, kind }] of Object.entries(kinds))
  describe(`a scorer of the caller whose prediction is ${name}`, { concurrency: true }, () => {
    const rowOf = (id: number): string => `${id},"note ${id}",${fields(id)}\n`;
    const expected = `id,note,${header}\n${Array.from({ length: rows }, (_, id) => rowOf(id)).join('')}`;

    it('scores a file, which is resumed to the same bytes; summary and page say what it predicts', async t => {
      const { at, scoring, text } = await bench(t);
      const dies = (id: number): Prediction => {
        if (id === 35) throw new Error('out of memory');
        return predict(id);
      };
      await assert.rejects(scoring(dies), { code: 'scorer_failed' });
      const { resumed_from_row, prediction } = await scoring(predict, { summaryHtml: at('run.html') });
      assert.equal(await text(), expected);
      assert.ok((resumed_from_row ?? 0) > 1);
      assert.equal(prediction?.kind, kind);
      assert.ok((await readFile(at('run.html'), 'utf8')).includes(`<dt>Predicted</dt><dd>${name}</dd>`));
    });

    it('is asked once for equal rows, and not for those of an earlier output', async t => {
      const { at, scoring, text } = await bench(t);
      await writeFile(at('in.csv'), input + input.slice(input.indexOf('\n') + 1));
      let asked = 0;
      const counted = (id: number): Prediction => {
        asked++;
        return predict(id);
      };
      await scoring(predict);
      const full = await text();
      let reuse = at('none');
      for (const output of [at('once.csv'), at('again.csv')]) {
        await scoring(counted, { output, dedupe: true, reuse, reuseMaxAge: '1d' });
        assert.deepEqual([asked, await readFile(output, 'utf8')], [rows, full]);
        reuse = output;
      }
    });

    slow('predicts a sample again, with which another row’s prediction differs', async t => {
      const { at, run, scorerOf, scoring, text } = await bench(t);
      await scoring(predict);
      const scorer = scorerOf(predict);
      const again = (more = {}) => verify({ ...run, kind, sample: rows, scorer, ...more });
      assert.deepEqual(await again().then(({ agrees, sampled }) => [agrees, sampled]), [true, rows]);
      const changed = (await text()).replace(rowOf(7), rowOf(7).replace(fields(7) ?? '', fields(8) ?? ''));
      await writeFile(at('out.csv'), changed);
      assert.equal((await again({ sample: undefined })).agrees, true);
      const { agrees, difference } = await again();
      assert.deepEqual([agrees, difference?.row], [false, 8]);
      assert.match(difference?.message ?? '', /predicted (now|in the output, but .* now), in row 8, at /);
    });

    slow('puts rows that were rejected back into their places', async t => {
      const { at, run, scoring, text } = await bench(t);
      const rejecting = (id: number): Prediction =>
        id % 20 === 3 ? { error: { code: 'odd', message: 'it is odd' } } : predict(id);
      const { rows: counts } = await scoring(rejecting);
      assert.deepEqual(counts.rejected_by, { odd: 3 });
      await scoring(predict, { input: at('out.csv.rejects'), output: at('corrected.csv') });
      const { maxRecordBytes } = scoreDefaults;
      const told = { ...(kind === 'numbers' && { kind }) };
      const files = { output: run.output, corrected: at('corrected.csv') };
      const repaired = await repair({ ...files, private: false, maxRecordBytes, ...told });
      assert.deepEqual(repaired, { placed: 3, already: 0, left: 0 });
      assert.equal(await text(), expected);
      const { agrees, rows: verified } = await verify({ ...run, ...told });
      assert.deepEqual([agrees, verified.scored, verified.repaired], [true, rows, 3]);
    });
  });

describe('a scorer of the caller that predicts labels or numbers', { concurrency: true }, () => {
  it('stops the run if those of a whole batch are wrong, but not if these rows are what is left of one', async t => {
    const { scoring, text, scorerOf } = await bench(t);
    const wrong = (id: number): Prediction => ({ value: id >= 20 && id < 30 ? Number.NaN : 1 });
    await assert.rejects(scoring(wrong), {
      code: 'wrong_answer',
      message: 'prediction 1: the number is NaN',
    });
    // Batches with row 25 are halved until it is alone, and then it has no number.
    const own = scorerOf(id => ({ value: id === 25 ? Number.NaN : 1 }));
    const scorer: Scorer = {
      ...own,
      async score(batch) {
        if (batch.personas.length === 1 || !batch.personas.some(({ id }) => id === 25))
          return own.score(batch);
        throw new CallError('rejected_request', 'odd', 'a row is odd', { location: {} });
      },
    };
    const { rows: counts } = await scoring(wrong, { scorer });
    assert.deepEqual([counts.scored, counts.rejected_by], [rows - 1, { wrong_prediction: 1 }]);
    assert.match(await text(), /^25,"note 25",$/m);
  });

  it('stops if the first one says nothing, or one is not what the others are', async t => {
    const others: [Prediction, Prediction, RegExp][] = [
      [{ label: '' }, { label: '' }, /^prediction 1: the label is empty$/],
      [{ label: 'a' }, { value: 1 }, /^prediction 10 is missing, but a label is expected$/],
      [{ value: 1 }, { label: 'a' }, /^prediction 10 is missing, but a number is expected$/],
      [{ values: { a: 1 } }, { values: { b: 1 } }, /members b, expected the numbers a$/],
      [{ values: { a: 1 } }, { values: { a: 1, b: 1 } }, /members a, b, expected the numbers a$/],
    ];
    for (const [usual, other, message] of others) {
      const { scoring } = await bench(t);
      await assert.rejects(
        scoring(id => (id === 9 ? other : usual)),
        (error: RowcastError) => error.code === 'wrong_answer' && message.test(error.message),
      );
    }
  });
});
