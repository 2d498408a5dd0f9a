import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parse } from 'csv-parse/sync';
import { folderOf } from '../../support/cli/run-in-folder.ts';
import { parquetOf, textOfParquet } from '../../support/parquet.ts';
import { trainedHome } from '../../support/service/serving.ts';
import { fixture } from '../../support/web/uploaded.ts';

const NUMBERS = ['tenure', 'speed', 'monthly', 'data_gb', 'support_calls', 'satisfaction'];

/** The last two columns of a CSV. */
const probabilitiesIn = (text: string): string[][] => (parse(text) as string[][]).map(row => row.slice(-2)); // without columns, it returns lists

/** The probabilities of JSON lines as the last two columns of a CSV; a CSV as it is. */
function asCsv(name: string, text: string): string {
  if (!name.endsWith('.jsonl')) return text;
  const rows = text
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line));
  const names = ['probability_no', 'probability_yes'];
  return [names, ...rows.map(row => names.map(own => row[own]))].map(row => `${row.join(',')}\n`).join('');
}

describe('Parquet and CSV of the same rows', () => {
  it('give the same report, the same probabilities and the same drift', async t => {
    const { run, bytesIn, write } = await folderOf(t);
    const history = await fixture('telecom-history.csv', 1200);
    await write('in.csv', history);
    await write('in.parquet', await parquetOf(history, { groupRows: 500, numbers: NUMBERS }));
    for (const format of ['csv', 'parquet'])
      await run('train', `in.${format}`, '--predict', 'churned', '--report', `from-${format}`);
    const [fromCsv, fromParquet] = await Promise.all(
      ['csv', 'parquet'].map(format => bytesIn(`home/reports/from-${format}/testing-results.csv`)),
    );
    assert.deepEqual(probabilitiesIn(`${fromParquet}`), probabilitiesIn(`${fromCsv}`));

    const pairs = [
      ['in.csv', 'a.csv', 'from-parquet'],
      ['in.csv', 'b.parquet', 'from-csv'],
      ['in.parquet', 'c.csv', 'from-csv'],
      ['in.parquet', 'd.parquet', 'from-csv'],
      ['in.parquet', 'e.jsonl', 'from-csv'],
    ] as const;
    const texts: string[] = [];
    const figures: unknown[] = [];
    for (const [input, output, report] of pairs) {
      await run(
        'score',
        input,
        '-o',
        output,
        '--report',
        report,
        '--summary',
        'run.json',
        '--group-rows',
        '700',
      );
      const { columns, scores } = JSON.parse(String(await bytesIn('run.json')));
      figures.push({ columns, scores });
      await run('verify', input, output, '--sample', '20', '--report', report);
      const bytes = await bytesIn(output);
      texts.push(output.endsWith('parquet') ? await textOfParquet(bytes) : asCsv(output, bytes.toString()));
    }
    for (const text of texts) assert.deepEqual(probabilitiesIn(text), probabilitiesIn(texts[0] ?? ''));
    for (const each of figures) assert.deepEqual(each, figures[0]);
    assert.equal(probabilitiesIn(texts[0] ?? '').length, 1201);
  });
});

describe('Parquet of a single column', () => {
  it('reads missing values of a single column, and verifies them', async t => {
    const { run, write } = await folderOf(t, await trainedHome());
    const rows = `monthly amount\n${'1\n""\n'.repeat(20)}`;
    await write(
      'in.parquet',
      await parquetOf(rows.replaceAll('""', ''), { groupRows: 7, numbers: ['monthly amount'] }),
    );
    await write('texts.parquet', await parquetOf(rows, { groupRows: 7 }));
    for (const name of ['in', 'texts'])
      for (const output of [`${name}.out.parquet`, `${name}.csv`]) {
        await run(
          'score',
          `${name}.parquet`,
          '-o',
          output,
          '--report',
          'one',
          '--allow-missing',
          '--max-unseen',
          'none',
        );
        await run('verify', `${name}.parquet`, output);
      }
  });
});
