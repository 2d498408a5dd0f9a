import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { type Commands, commandsIn } from '../../support/cli/commands.ts';
import { exits } from '../../support/in-process.ts';
import { parquetOf, textOfParquet } from '../../support/parquet.ts';
import { trainedHome } from '../../support/service/serving.ts';
import { fixture } from '../../support/web/uploaded.ts';

/** A CSV as JSON lines: numbers as they are written, other texts as texts, empty ones as null. */
function asLines(csv: string): string {
  const [header = [], ...rows] = parse(csv) as string[][]; // without columns, it returns lists
  const literalOf = (text: string): string => {
    if (text === '') return 'null';
    return /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text) ? text : JSON.stringify(text);
  };
  return rows
    .map(row => `{${row.map((text, i) => `${JSON.stringify(header[i])}:${literalOf(text)}`).join(',')}}\n`)
    .join('');
}

const NUMBERS = ['tenure', 'speed', 'monthly', 'data_gb', 'support_calls', 'satisfaction'];

/** The probabilities of an output in any format, as texts of a CSV. */
async function probabilitiesIn({ bytesIn }: Commands, name: string): Promise<string[][]> {
  const bytes = name.endsWith('.gz') ? gunzipSync(await bytesIn(name)) : await bytesIn(name);
  if (!name.includes('.jsonl')) {
    const text = name.endsWith('.parquet') ? await textOfParquet(bytes) : bytes.toString();
    return (parse(text) as string[][]).slice(1).map(row => row.slice(-2)); // without columns, it returns lists
  }
  const rows = bytes.toString().trimEnd().split('\n');
  return rows
    .map(line => JSON.parse(line))
    .map(({ probability_no, probability_yes }) => [probability_no, probability_yes].map(String));
}

it('CSV, JSON lines and Parquet of the same rows give the same report, the same probabilities and the same drift', async t => {
  const commands = await commandsIn(t, {}, { ROWCAST_HOME: 'home' });
  const { run, read, write, jsonIn } = commands;
  const history = await fixture('telecom-history.csv', 1200);
  await write('in.csv', history);
  await write('in.jsonl.gz', gzipSync(asLines(history)));
  await write('in.parquet', await parquetOf(history, { groupRows: 500, numbers: NUMBERS }));
  const tested = new Map<string, string>();
  for (const format of ['csv', 'jsonl.gz', 'parquet']) {
    await exits(run(`train in.${format} --predict churned --report of-${format.slice(0, 3)}`), 0);
    tested.set(format, await read(`home/reports/of-${format.slice(0, 3)}/testing-results.csv`));
  }
  assert.equal(tested.get('jsonl.gz'), tested.get('csv'));
  const lastColumns = (format: string): string[][] =>
    (parse(tested.get(format) ?? '') as string[][]).map(row => row.slice(-2));
  assert.deepEqual(lastColumns('parquet'), lastColumns('csv'));

  const found: unknown[] = [];
  for (const [input, output, report, more = ''] of [
    ['in.csv', 'a.csv', 'of-par'],
    ['in.csv', 'b.parquet', 'of-csv'],
    ['in.csv', 'c.csv', 'of-jso'],
    ['in.parquet', 'd.csv', 'of-csv'],
    ['in.parquet', 'e.parquet', 'of-csv'],
    ['in.parquet', 'f.jsonl', 'of-csv'],
    ['in.jsonl.gz', 'g.jsonl.gz', 'of-csv', '--threads 1'],
  ] as const) {
    const score = `score ${input} -o ${output} --report ${report} --summary run.json --group-rows 700 ${more}`;
    await exits(run(score), 0);
    await exits(run(`verify ${input} ${output} --sample 20 --report ${report}`), 0);
    const { columns, scores } = await jsonIn('run.json');
    assert.ok(Object.keys(columns).length > 5);
    const probabilities = await probabilitiesIn(commands, output);
    assert.equal(probabilities.length, 1200);
    found.push({ columns, scores, probabilities });
  }
  for (const each of found) assert.deepEqual(each, found[0]);
});

describe('JSON lines', () => {
  it('are recognized in a pipe, and written to one', async t => {
    const { run } = await commandsIn(t, {}, { ROWCAST_HOME: await trainedHome() });
    const rows = Array.from({ length: 9_000 }, (_, row) => `{"plan":"Basic","monthly amount":${row}}\n`);
    const lines = `${rows.join('')}${'{"plan":null}\n'.repeat(5_000)}`;
    const options = '--report one --max-missing none --allow-missing';
    const { stdout } = await exits(run(`score - -o - ${options}`, { stdin: lines }), 0);
    const appended = /,?"probability_[A-Z]\w*":[\d.e-]+,"probability_[A-Z]\w*":[\d.e-]+(?=\})/g;
    assert.equal(stdout.replaceAll(appended, ''), lines);
  });

  it('may lack columns that --allow-missing lets be missing, and are verified with a sample', async t => {
    const rows = Array.from({ length: 400 }, (_, row) => `{"monthly amount":${row}}\n`);
    const { run } = await commandsIn(t, { 'in.jsonl': rows.join('') }, { ROWCAST_HOME: await trainedHome() });
    const options = '--report one --allow-missing';
    const says = /sent as missing, because the input does not have them: .*"plan"/;
    await exits(run(`score in.jsonl -o out.jsonl ${options}`), 0, says);
    await exits(run(`score in.jsonl -o limited.jsonl ${options} --max-missing 50%`), 0);
    const verifying = run(`verify in.jsonl out.jsonl --sample 50 ${options}`);
    await exits(verifying, 0, /; 50 rows predicted again, with the same result$/m);
  });
});

it('missing values of a single column of Parquet are read and verified', async t => {
  const rows = `monthly amount\n${'1\n""\n'.repeat(20)}`;
  const numbers = { groupRows: 7, numbers: ['monthly amount'] };
  const files = {
    'in.parquet': await parquetOf(rows.replaceAll('""', ''), numbers),
    'texts.parquet': await parquetOf(rows, { groupRows: 7 }),
  };
  const { run } = await commandsIn(t, files, { ROWCAST_HOME: await trainedHome() });
  for (const input of Object.keys(files))
    for (const output of [`out.${input}`, `${input}.csv`]) {
      await exits(run(`score ${input} -o ${output} --report one --allow-missing --max-unseen none`), 0);
      await exits(run(`verify ${input} ${output}`), 0);
    }
});
