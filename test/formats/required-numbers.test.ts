import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { scoreDefaults } from '../../src/base/options/values/run-values.ts';
import { repair } from '../../src/runs/repair/repair.ts';
import { verifyOutput } from '../../src/runs/verify/verify.ts';
import { newFolder } from '../support/folder.ts';
import { textOfParquet } from '../support/parquet.ts';
import { score } from '../support/scoring/score.ts';
import { connect } from '../support/stub/connect.ts';

const { maxRecordBytes } = scoreDefaults;
const ROWS = 60;
type Row = readonly [id: number, amount: string];
const rowsWith = (texts: Readonly<Record<number, string>>): Row[] =>
  Array.from({ length: ROWS }, (_, i) => [i + 1, texts[i + 1] ?? `${i}.5`] as const);
const files = {
  csv: (rows: readonly Row[]) =>
    `id,amount\n${rows.map(([id, amount]) => `${id},${/[",]/.test(amount) ? `"${amount.replaceAll('"', '""')}"` : amount}\n`).join('')}`,
  jsonl: (rows: readonly Row[]) => rows.map(([id, amount]) => `${JSON.stringify({ id, amount })}\n`).join(''),
};

async function bench(t: TestContext, format: keyof typeof files, rows: readonly Row[]) {
  const folder = await newFolder(t);
  const { client, stub } = await connect(t);
  const at = (name: string): string => join(folder, name);
  const [input, output] = [at(`in.${format}`), at('out.parquet')];
  await writeFile(input, files[format](rows));
  const scoring = (from: string, to: string, more = {}) =>
    score(
      {
        ...scoreDefaults,
        input: from,
        output: to,
        report: 'r',
        classes: ['no', 'yes'],
        features: ['id'],
        types: { amount: 'numerical' },
        nulls: ['-1'],
        ...more,
      },
      client,
    );
  const verifying = () =>
    verifyOutput({
      input,
      output,
      maxRecordBytes,
      nulls: ['-1'],
      rejects: existsSync(`${output}.rejects`) ? `${output}.rejects` : undefined,
      repaired: existsSync(`${output}.repaired`) ? `${output}.repaired` : undefined,
    });
  const amounts = async (): Promise<string[]> =>
    (await textOfParquet(await readFile(output)))
      .trim()
      .split('\n')
      .slice(1)
      .map(line => line.split(',')[1] ?? '');
  return { at, input, output, scoring, verifying, amounts, stub };
}

const wrong = { 9: 'n/a', 31: '$117.55', 33: '9007199254740993', 57: 'a "b", c' };

describe('a column that is written as numbers', () => {
  for (const format of ['csv', 'jsonl'] as const)
    it(`rejects the rows of ${format} that have another text there, and the run goes on`, async t => {
      const rows = rowsWith({ ...wrong, 3: '', 4: '-1', 5: ' 7 ', 6: 'NaN' });
      const { input, output, scoring, verifying, amounts, stub } = await bench(t, format, rows);
      const counts = (await scoring(input, output, { batchRows: 7, groupRows: 20 }))?.rowCounts;
      assert.deepEqual([counts?.scored, counts?.rejectedBy], [ROWS - 4, { not_a_number: 4 }]);
      const sent = stub.bodies.reduce((sum, { personas }) => sum + personas.length, 0);
      assert.equal(sent, ROWS - 4, 'a row that is rejected is not sent');
      const found = await amounts();
      assert.deepEqual(found.slice(0, 6), ['0.5', '1.5', '', '', '7', 'NaN']);
      assert.equal(found.length, ROWS - 4);
      const rejects = await readFile(`${output}.rejects`, 'utf8');
      assert.match(rejects, /the column \W*amount\W* is written as numbers/);
      const { scored, malformed } = await verifying();
      assert.deepEqual([scored, malformed], [ROWS - 4, 4]);
    });

  it('gets the rows that were corrected, and keeps the others as rejects', async t => {
    const { at, output, input, scoring, verifying, amounts } = await bench(t, 'csv', rowsWith(wrong));
    await scoring(input, output, { groupRows: 20 });
    const repairing = async (change: (text: string) => string) => {
      await writeFile(at('corrections.csv'), change(await readFile(`${output}.rejects`, 'utf8')));
      await scoring(at('corrections.csv'), at('corrected.csv'));
      return repair({
        output,
        corrected: at('corrected.csv'),
        maxRecordBytes,
        private: false,
        nulls: ['-1'],
      });
    };
    const first = await repairing(text => text.replace('n/a', '900').replace('$117.55', '117.55'));
    assert.deepEqual([first.placed, first.left], [2, 2]);
    assert.deepEqual([(await amounts())[8], (await amounts())[30]], ['900', '117.55']);
    const half = await verifying();
    assert.deepEqual([half.repaired, half.malformed], [2, 2]);
    const second = await repairing(text =>
      text.replace('9007199254740993', '1').replace('"a ""b"", c"', '2'),
    );
    assert.deepEqual([second.placed, second.left], [2, 0]);
    assert.equal((await verifying()).scored, ROWS);
  });

  for (const format of ['csv', 'jsonl'] as const)
    it(`is text from the start if most of the first values of ${format} are no numbers`, async t => {
      const amountsOf = (i: number): string => (i === 2 ? '7' : `$${i}.55`);
      const rows = Array.from({ length: ROWS }, (_, i) => [i + 1, amountsOf(i)] as const);
      const { input, output, scoring, verifying, amounts } = await bench(t, format, rows);
      assert.equal((await scoring(input, output))?.rowCounts.rejected, 0);
      assert.deepEqual((await amounts()).slice(0, 3), ['$0.55', '$1.55', '7']);
      assert.equal((await verifying()).scored, ROWS);
    });
});
