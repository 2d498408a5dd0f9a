import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Predictions } from '../../src/base/contract/predictions.ts';
import type { Description } from '../../src/base/contract/schemas.ts';
import { RowcastError } from '../../src/base/errors.ts';
import { type RunValues, scoreDefaults } from '../../src/base/options/values/run-values.ts';
import { parseRecords } from '../../src/base/parse-records.ts';
import { openParquet } from '../../src/formats/parquet/footer/parquet-file.ts';
import type { RunResult } from '../../src/runs/observer.ts';
import { repair } from '../../src/runs/repair/repair.ts';
import type { Summary } from '../../src/runs/summary/summary.ts';
import { verifyOutput } from '../../src/runs/verify/verify.ts';
import { newFolder } from '../support/folder.ts';
import { parquetOf, storedBytes, textOfParquet } from '../support/parquet.ts';
import { job } from '../support/scoring/job.ts';
import { labels, numbers } from '../support/scoring/predictions.ts';
import { rowScorer } from '../support/scoring/row-scorer.ts';
import { score } from '../support/scoring/score.ts';

const { maxRecordBytes } = scoreDefaults;
/** Labels with everything that may need quotes. */
const texts = ['yes', 'a,b', 'say "no"', 'two\nlines', ' spaced ', 'überall', '"', '0.5'];
const labelOf = (id: number): string => texts[id % texts.length] ?? '';
const numberOf = (id: number): number =>
  [0.1 + 0.2, -0, 1e21, -5e-324, -2.2250738585072014e-308, id][id % 6] ?? 0;

const quoted = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Each kind: what is predicted for a row, the header and the fields of a row. */
const kinds = {
  label: {
    predict: (ids: number[]) => labels(ids.map(labelOf)),
    header: 'predicted_plan',
    fields: (id: number) => quoted(labelOf(id)),
    prediction: { kind: 'label' },
  },
  number: {
    predict: (ids: number[]) => numbers(ids.map(numberOf)),
    header: 'predicted_plan',
    fields: (id: number) => String(numberOf(id)),
    prediction: { kind: 'numbers', names: [] },
  },
  'several numbers': {
    predict: (ids: number[]) =>
      numbers(
        ids.flatMap(id => [id / 4, numberOf(id)]),
        ['mean', 'upper, "95%"'],
      ),
    header: 'probability_mean,"probability_upper, ""95%"""',
    fields: (id: number) => `${id / 4},${numberOf(id)}`,
    prediction: { kind: 'numbers', names: ['mean', 'upper, "95%"'] },
  },
} as const;

const dialect = { delimiter: ',', quote: '"', loneCr: false };
const count = 100;
const ids = Array.from({ length: count }, (_, id) => id);
/** Quoted fields, blank lines and both line endings. */
const recordOf = (id: number): string => (id % 7 === 3 ? `${id},"a ""b""\n${id}"` : `${id},text`);
const endingOf = (id: number): string => (id % 9 === 4 ? '\r\n\n' : '\n');
const input = `id,text\n${ids.map(id => recordOf(id) + endingOf(id)).join('')}`;

interface Options {
  text?: string;
  folder?: string;
  report?: Description;
  values?: Partial<RunValues>;
  stop?: AbortSignal;
}

interface Outcome {
  folder: string;
  paths: { input: string; output: string };
  output: Buffer;
  rejects: string;
  result: RunResult | undefined;
  summary: Summary | undefined;
  failure: RowcastError | undefined;
}

/** Scores rows, ten at a time, with what is predicted from their first fields. */
async function scoreWith(
  t: TestContext,
  predict: (ids: number[]) => Predictions,
  { text = input, folder, report = { predicts: 'plan' }, values, stop }: Options = {},
): Promise<Outcome> {
  const place = folder ?? (await newFolder(t));
  const paths = { input: join(place, 'in.csv'), output: values?.output ?? join(place, 'out.csv') };
  await writeFile(paths.input, text);
  let failure: RowcastError | undefined;
  let summary: Summary | undefined;
  const options = job({ batchRows: 10, ...values, ...paths });
  const scorer = rowScorer(rows => predict(rows.map(([id]) => Number(id))), report);
  const result = await score(options, scorer, {
    ...(stop && { stop }),
    async ended(end) {
      summary = end;
    },
  }).catch(error => {
    failure = error;
    return undefined;
  });
  const output = await readFile(paths.output).catch(() => Buffer.alloc(0));
  const rejects = await readFile(`${paths.output}.rejects`, 'utf8').catch(() => '');
  return { folder: place, paths, output, rejects, result, summary, failure };
}

for (const [name, { predict, header, fields, prediction }] of Object.entries(kinds))
  describe(`a run whose scorer returns a ${name} per row`, { concurrency: true }, () => {
    const expected = `id,text,${header}\n${ids.map(id => `${recordOf(id)},${fields(id)}${endingOf(id)}`).join('')}`;

    it('appends it to each row, says so in the summary, and can be verified', async t => {
      const { output, failure, summary, result, paths } = await scoreWith(t, predict);
      assert.equal(failure, undefined);
      assert.equal(output.toString(), expected);
      assert.deepEqual(summary?.prediction, prediction);
      assert.deepEqual(summary?.classes, []);
      assert.equal(result?.rowCounts.scored, count);
      const tally = await verifyOutput({ ...paths, maxRecordBytes, kind: prediction.kind });
      assert.deepEqual([tally.scored, tally.unscored], [count, 0]);
      // One predicted column is recognized; the names of several numbers could be those of classes.
      const unknown = verifyOutput({ ...paths, maxRecordBytes });
      if (name === 'several numbers')
        await assert.rejects(unknown, {
          code: 'difference',
          hint: /^If the run predicted numbers, give --kind numbers/,
        });
      else assert.deepEqual(await unknown, tally);
    });

    it('writes nothing else if no column is kept', async t => {
      const { output, failure, paths } = await scoreWith(t, predict, { values: { keep: 'none' } });
      assert.equal(failure, undefined);
      const ending = (id: number): string =>
        endingOf(id).replace(/\n\n$/, name === 'several numbers' ? '\n\n' : '\n');
      assert.equal(output.toString(), `${header}\n${ids.map(id => fields(id) + ending(id)).join('')}`);
      const tally = await verifyOutput({ ...paths, maxRecordBytes, keep: 'none', kind: prediction.kind });
      assert.equal(tally.scored, count);
    });

    it('is resumed to the same bytes after it was stopped', async t => {
      const folder = await newFolder(t);
      const fail = (): never => {
        throw new RowcastError('out_of_order', 'the model is not there', { severity: 'temporary' });
      };
      const half = await scoreWith(t, rows => (rows.includes(55) ? fail() : predict(rows)), { folder });
      assert.ok(half.failure?.code === 'out_of_order' && half.output.length === 0);
      assert.ok((await readdir(folder)).includes('out.csv.checkpoint'));
      const { output, summary } = await scoreWith(t, predict, { folder });
      assert.equal(output.toString(), expected);
      assert.ok((summary?.resumed_from_row ?? 0) > 1);
      assert.deepEqual(summary?.prediction, prediction);
    });

    it('says what was predicted even if a resumed run has no rows left', async t => {
      const folder = await newFolder(t);
      const stopping = new AbortController();
      const stopAtEnd = (rows: number[]): Predictions => {
        if (rows.includes(count - 1)) stopping.abort();
        return predict(rows);
      };
      const whole = await scoreWith(t, stopAtEnd, { folder, stop: stopping.signal });
      assert.ok(whole.failure !== undefined && whole.output.length === 0);
      const { output, summary } = await scoreWith(t, () => assert.fail('a row is left'), { folder });
      assert.equal(output.toString(), expected);
      assert.deepEqual(summary?.prediction, prediction);
    });

    it('writes the header before rows that were rejected, if the first batch has no other', async t => {
      const { output, result, failure, paths } = await scoreWith(t, rows =>
        rows[0] === 0
          ? {
              ...noneOf(predict(rows)),
              errors: new Map(rows.map((_, row) => [row, { code: 'odd', message: 'it is odd' }])),
            }
          : predict(rows),
      );
      assert.equal(failure, undefined);
      const empty = name === 'several numbers' ? ',,' : ',';
      assert.equal(
        output.toString(),
        `id,text,${header}\n${ids.map(id => recordOf(id) + (id < 10 ? empty : `,${fields(id)}`) + endingOf(id)).join('')}`,
      );
      assert.deepEqual(result?.rowCounts.rejectedBy, { odd: 10 });
      const tally = await verifyOutput({
        ...paths,
        rejects: `${paths.output}.rejects`,
        maxRecordBytes,
        kind: prediction.kind,
      });
      assert.deepEqual([tally.scored, tally.unscored], [90, 10]);
    });

    it('goes on after a batch in which the scorer has scored nothing', async t => {
      const { output, result, failure } = await scoreWith(t, rows => ({
        ...(rows[0] === 50
          ? { kind: 'distribution', classes: [], probabilities: new Float64Array() }
          : predict(rows)),
        errors: new Map(
          rows[0] === 50 ? rows.map((_, row) => [row, { code: 'odd', message: 'it is odd' }]) : [],
        ),
      }));
      assert.equal(failure, undefined);
      assert.deepEqual(result?.rowCounts.rejectedBy, { odd: 10 });
      assert.ok(output.toString().startsWith(expected.slice(0, expected.indexOf('\n50,'))));
    });

    for (const from of ['in.csv', 'in.jsonl', 'in.parquet'])
      it(`makes Parquet of ${from}, although nothing says beforehand what is predicted`, async t => {
        const folder = await newFolder(t);
        const at = (file: string): string => join(folder, file);
        const rows = ids.map(id => [String(id), `note ${id}`]);
        const records = rows.map(([id, note]) =>
          from === 'in.jsonl' ? JSON.stringify({ id, note }) : `${id},${note}`,
        );
        const text = [...(from === 'in.jsonl' ? [] : ['id,note']), ...records, ''].join('\n');
        await writeFile(at(from), from === 'in.parquet' ? await parquetOf(text, { groupRows: 20 }) : text);
        // The first batches and a whole group have only rejected rows.
        let isOdd = (id: number): boolean => id < 25;
        const run = (to: string, last: number, input = from, idAt = 0) =>
          score(
            job({
              ...{ input: at(input), output: at(to) },
              ...{ features: ['id'], batchRows: 10, groupRows: 20, checkpointInterval: 0 },
            }),
            rowScorer(
              found => {
                const own = found.map(row => Number(row[idAt]?.replaceAll('"', '')));
                if (own.some(id => id > last)) throw new Error('the run is stopped');
                const errors = new Map(
                  own.flatMap((id, row) => (isOdd(id) ? [[row, { code: 'odd', message: 'it is odd' }]] : [])),
                );
                return { ...(own.every(isOdd) ? noneOf(predict(own)) : predict(own)), errors };
              },
              { predicts: 'plan' },
            ),
          );
        await run('whole.parquet', count);
        await assert.rejects(run('out.parquet', 70), /the run is stopped/);
        assert.equal((await run('out.parquet', count))?.resumedFrom, 71);
        const made = await readFile(at('out.parquet'));
        assert.deepEqual(made, await readFile(at('whole.parquet')));
        const [names, ...values] = parseRecords(await textOfParquet(made), dialect);
        assert.deepEqual(names, ['id', 'note', ...(parseRecords(`${header}\n`, dialect)[0] ?? [])]);
        const [none = []] = parseRecords(`${name === 'several numbers' ? ',' : '""'}\n`, dialect);
        assert.deepEqual(
          values,
          rows.map((own, id) => [
            ...own,
            ...(isOdd(id) ? none : (parseRecords(`${fields(id)}\n`, dialect)[0] ?? [])),
          ]),
        );
        const { columns } = await openParquet(storedBytes(made), 'out.parquet');
        for (const { type } of columns.slice(2)) assert.equal(type.is, name === 'label' ? 'text' : 'double');
        const files = { input: at(from), output: at('out.parquet'), rejects: at('out.parquet.rejects') };
        const tally = await verifyOutput({ ...files, maxRecordBytes, kind: prediction.kind });
        assert.deepEqual([tally.scored, tally.unscored], [75, 25]);
        if (name !== 'several numbers')
          assert.deepEqual(await verifyOutput({ ...files, maxRecordBytes }), tally);

        const repairWith = (file: string) =>
          repair({
            ...{ output: at('out.parquet'), corrected: at(file), maxRecordBytes, private: false },
            kind: prediction.kind,
          });
        if (from === 'in.jsonl')
          return assert.rejects(repairWith(from), { code: 'usage', message: /its rejects are JSON lines$/ });
        // The rejects are scored again, as they are.
        isOdd = () => false;
        const [rejected = []] = parseRecords(await readFile(files.rejects, 'utf8'), dialect);
        await run('corrected.csv', count, 'out.parquet.rejects', rejected.indexOf('id'));
        await run('right.parquet', count);
        const placed = await repairWith('corrected.csv');
        assert.deepEqual([placed.placed, placed.left], [25, 0]);
        const [repaired, right] = [await readFile(at('out.parquet')), await readFile(at('right.parquet'))];
        assert.equal(await textOfParquet(repaired), await textOfParquet(right));
        const kept = { ...files, rejects: undefined, repaired: at('out.parquet.repaired') };
        const after = await verifyOutput({ ...kept, maxRecordBytes, kind: prediction.kind });
        assert.deepEqual([after.scored, after.repaired], [100, 25]);
      });
  });

/** Predictions of the same type for rows that all have an error. */
function noneOf(predictions: Predictions): Predictions {
  if (predictions.kind === 'label')
    return { ...predictions, labels: [], indices: predictions.indices.map(() => -1) };
  if (predictions.kind === 'numbers')
    return { ...predictions, values: predictions.values.map(() => Number.NaN) };
  return predictions;
}

describe('a run with labels or numbers', { concurrency: true }, () => {
  it('quotes the empty field of a rejected row that is the only one', async t => {
    const { output } = await scoreWith(t, rows => labels(rows.map(id => (id === 1 ? '' : 'yes'))), {
      text: 'id\n0\n1\n',
      values: { keep: 'none' },
    });
    assert.equal(output.toString(), 'predicted_plan\nyes\n""\n');
  });

  it('rounds numbers, none of them to minus zero, and names several after the prefix', async t => {
    const values = [0.125, -0.001, 1e21, -2.5, 0.1 + 0.2, -0, 123456789.987654, Number.MAX_VALUE];
    const { output, paths } = await scoreWith(
      t,
      rows =>
        numbers(
          rows.flatMap(id => [values[id % values.length] ?? 0, 1]),
          ['a', 'b'],
        ),
      { text: `id\n${values.map((_, id) => `${id}\n`).join('')}`, values: { decimals: 2, prefix: 'p' } },
    );
    const rounded = '0.13 0.00 1e+21 -2.50 0.30 0.00 123456789.99 1.7976931348623157e+308'.split(' ');
    const rows = rounded.map((text, id) => `${id},${text},1.00\n`);
    assert.equal(output.toString(), `id,p_a,p_b\n${rows.join('')}`);
    const told = { ...paths, maxRecordBytes, kind: 'numbers' } as const;
    assert.equal((await verifyOutput({ ...told, decimals: 2 })).scored, values.length);
    await assert.rejects(verifyOutput(told), { code: 'difference' });
  });
});
