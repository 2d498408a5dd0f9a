import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { newFolder } from '../../support/folder.ts';
import { exits, type Finished, rowcast } from '../../support/rowcast.ts';
import { fixture } from '../../support/web/uploaded.ts';

/** A CSV as JSON lines: numbers as they are written, other texts as texts, empty ones as null. */
function asLines(csv: string): string {
  const [header = [], ...rows] = parse(csv) as string[][]; // without columns, it returns lists
  return rows
    .map(row => {
      const members = row.map((text, i) => {
        const isNumber = /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text);
        const value = text === '' ? 'null' : isNumber ? text : JSON.stringify(text);
        return `${JSON.stringify(header[i])}:${value}`;
      });
      return `{${members.join(',')}}\n`;
    })
    .join('');
}

async function folderOf(t: TestContext) {
  const folder = await newFolder(t);
  const env = { ROWCAST_HOME: join(folder, 'home') };
  const run = async (...args: string[]): Promise<Finished> => {
    const finished = await exits(rowcast(args, { cwd: folder, env }), 0);
    return finished;
  };
  const textIn = (name: string): Promise<string> => readFile(join(folder, name), 'utf8');
  const write = (name: string, content: string | Buffer): Promise<void> =>
    writeFile(join(folder, name), content);
  return { folder, run, textIn, write };
}

type Row = Record<string, string | number>;
const probabilitiesIn = (rows: readonly Row[]): number[][] =>
  rows.map(row => [Number(row.probability_no), Number(row.probability_yes)]);

describe('JSON lines', () => {
  it('are recognized in a pipe, and written to one', async t => {
    const { folder, run, write } = await folderOf(t);
    const history = await fixture('telecom-history.csv', 400);
    await write('history.csv', history);
    await run('train', 'history.csv', '--predict', 'churned', '--report', 'churn');
    const lines = asLines(history) + '{"tenure":null}\n'.repeat(5_000);
    const env = { ROWCAST_HOME: join(folder, 'home') };
    const { stdout } = await exits(
      rowcast(['score', '-', '-o', '-', '--report', 'churn', '--max-missing', 'none'], {
        env,
        stdin: lines,
      }),
      0,
    );
    assert.equal(
      stdout.toString().replaceAll(/,?"probability_no":[\d.e-]+,"probability_yes":[\d.e-]+(?=\})/g, ''),
      lines,
    );
  });

  it('may lack columns that --allow-missing lets be missing, and are verified with a sample', async t => {
    const { run, write } = await folderOf(t);
    const history = await fixture('telecom-history.csv', 400);
    await write('history.csv', history);
    await run('train', 'history.csv', '--predict', 'churned', '--report', 'churn');
    const lines = asLines(history).replaceAll(/"(tenure|monthly)":[^,}]+,/g, '');
    await write('in.jsonl', lines);
    const options = ['--report', 'churn', '--allow-missing'];
    const { stderr } = await run('score', 'in.jsonl', '-o', 'out.jsonl', ...options);
    assert.match(stderr, /sent as missing, because the input does not have them: .*"tenure"/);
    await run('score', 'in.jsonl', '-o', 'limited.jsonl', ...options, '--max-missing', '50%');
    const verified = await run('verify', 'in.jsonl', 'out.jsonl', '--sample', '50', ...options);
    assert.match(verified.stderr, /; 50 rows predicted again, with the same result$/m);
  });
});

describe('JSON lines and CSV of the same rows', () => {
  it('give the same report, the same probabilities and the same drift', async t => {
    const { folder, run, textIn, write } = await folderOf(t);
    const history = await fixture('telecom-history.csv', 1200);
    await write('history.csv', history);
    await write('history.jsonl.gz', gzipSync(asLines(history)));
    for (const [report, file] of [
      ['from-csv', 'history.csv'],
      ['from-lines', 'history.jsonl.gz'],
    ] as const)
      await run('train', file, '--predict', 'churned', '--report', report);
    const [fromCsv, fromLines] = await Promise.all(
      ['from-csv', 'from-lines'].map(report => textIn(`home/reports/${report}/testing-results.csv`)),
    );
    assert.equal(fromLines, fromCsv);

    const personas = await fixture('telecom-history.csv', 300);
    await write('in.csv', personas);
    await write('in.jsonl', asLines(personas));
    await run('score', 'in.csv', '-o', 'out.csv', '--report', 'from-lines', '--summary', 'csv.json');
    const lines = ['score', 'in.jsonl', '--report', 'from-csv'];
    await run(...lines, '-o', 'out.jsonl.gz', '--summary', 'lines.json', '--threads', '1');
    await run('verify', 'in.jsonl', 'out.jsonl.gz', '--sample', '20', '--report', 'from-csv');
    const output = gunzipSync(await readFile(join(folder, 'out.jsonl.gz'))).toString();
    const objects = output
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as Row);
    const rows = parse(await textIn('out.csv'), { columns: true }) as Row[];
    assert.equal(rows.length, 300);
    assert.deepEqual(probabilitiesIn(objects), probabilitiesIn(rows));
    const [csv, jsonl] = await Promise.all(
      ['csv.json', 'lines.json'].map(async name => {
        const { columns, scores } = JSON.parse(await textIn(name)) as { columns: object; scores: object };
        return { columns, scores };
      }),
    );
    assert.ok(Object.keys(csv?.columns ?? {}).length > 5);
    assert.deepEqual(jsonl, csv);
  });
});
