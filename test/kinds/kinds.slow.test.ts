import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { newFolder, sharedFolder } from '../support/folder.ts';
import { exits, rowcast } from '../support/in-process.ts';
import { customers, history, table } from './customers.ts';
import { kinds } from './kinds.ts';

const exitCodes = { scored: 0, rejected: 1, refused: 2, stopped: 3 } as const;

describe('a file', () => {
  let home = '';
  /** Customer → the prediction that a plain CSV gets. */
  let expected = new Map<string, number>();

  const score = (folder: string, file: string, options: readonly string[] = []) =>
    rowcast(['score', file, '-o', 'out.jsonl', '--report', 'churn', ...options], {
      cwd: folder,
      env: { ROWCAST_HOME: home },
    });

  before(async () => {
    home = await sharedFolder();
    await writeFile(join(home, 'history.csv'), history());
    await writeFile(join(home, 'plain.csv'), table());
    const options = ['--predict', 'churned', '--report', 'churn'];
    await exits(
      rowcast(['train', 'history.csv', ...options], {
        cwd: home,
        env: { ROWCAST_HOME: home },
      }),
      0,
    );
    await exits(score(home, 'plain.csv'), 0);
    expected = await predictionsIn(home);
    assert.equal(
      new Set(expected.values()).size,
      customers.length,
      'each customer has a prediction of its own',
    );
  });

  for (const { is, file, bytes, options, happens, says = [] } of Object.values(kinds).flat())
    it(`is ${happens.is}: ${is}`, async t => {
      const folder = await newFolder(t);
      await writeFile(join(folder, file), await bytes());
      const { code, stderr } = await score(folder, file, options);
      assert.equal(code, exitCodes[happens.is], stderr);
      for (const text of says) assert.ok(stderr.includes(text), stderr);
      if ('code' in happens) assert.ok(stderr.includes(happens.code), stderr);
      if (happens.is === 'refused' || happens.is === 'stopped')
        return assert.ok(!existsSync(join(folder, 'out.jsonl')), 'there is no output');
      const found = await predictionsIn(folder);
      const scored = happens.is === 'rejected' ? customers.length - happens.rows : customers.length;
      assert.equal(found.size, scored);
      for (const [customer, prediction] of found) assert.equal(prediction, expected.get(customer), customer);
    });

  // One that is text, one that is not, and one that is compressed: the commands read all in the same way.
  const piped = new Set(['a JSON array', 'a zip archive', 'a tar archive in gzip']);
  for (const { is, bytes } of kinds.unsupported.filter(kind => piped.has(kind.is)))
    it(`is refused in a pipe, and by train and plan: ${is}`, async t => {
      const folder = await newFolder(t);
      const env = { ROWCAST_HOME: home };
      const stdin = await bytes();
      for (const args of [
        ['score', '-', '-o', 'out.jsonl', '--report', 'churn'],
        ['plan', '-', '--report', 'churn'],
        ['train', '-', '--predict', 'churned', '--report', 'other'],
      ]) {
        await exits(rowcast(args, { cwd: folder, env, stdin }), 2, /\[unsupported_format\]/);
      }
    });

  for (const output of ['out.json', 'out.xlsx', 'out.json.gz', 'out.csv.xz'])
    it(`is not written to ${output}, whose name promises another format`, async t => {
      const folder = await newFolder(t, { 'in.csv': table() });
      const args = ['score', 'in.csv', '-o', output, '--report', 'churn'];
      await exits(rowcast(args, { cwd: folder, env: { ROWCAST_HOME: home } }), 2, /\[unsupported_output\]/);
      assert.deepEqual(await readdir(folder), ['in.csv']);
    });

  for (const rejects of ['r.xlsx', 'r.json.gz', 'r.parquet'])
    it(`has no rejects in ${rejects}, whose name promises another format`, async t => {
      const folder = await newFolder(t, { 'in.csv': table() });
      const args = ['score', 'in.csv', '-o', 'out.csv', '--rejects', rejects, '--report', 'churn'];
      await exits(
        rowcast(args, { cwd: folder, env: { ROWCAST_HOME: home } }),
        2,
        /r\.\w+: .*\[unsupported_output\]\n {2}Use a name that ends in \.csv/,
      );
      assert.deepEqual(await readdir(folder), ['in.csv']);
    });

  it('is refused once for several files, before the first', async t => {
    const folder = await newFolder(t);
    for (const name of ['a.csv', 'b.csv']) await writeFile(join(folder, name), table());
    for (const named of [['{name}.json'], ['{name}-out.csv', '--rejects', '{name}.xlsx']]) {
      const args = ['score', '*.csv', '-o', ...named, '--report', 'churn'];
      const { stderr } = await exits(rowcast(args, { cwd: folder, env: { ROWCAST_HOME: home } }), 2);
      assert.equal(stderr.match(/unsupported_output/g)?.length, 1, stderr);
      assert.doesNotMatch(stderr, /2 files/);
    }
    assert.deepEqual(await readdir(folder), ['a.csv', 'b.csv']);
  });

  it('is not sent for a name that promises another format, and no option is named that the command does not have', async t => {
    const folder = await newFolder(t, { 'in.csv': table() });
    const args = ['batch-predict', 'in.csv', '-o', 'out.json', '--report', 'churn'];
    await exits(
      rowcast(args, { cwd: folder, env: { ROWCAST_HOME: home } }),
      2,
      /\[unsupported_output\]\n {2}Use a name that ends in \.csv, \.tsv or \.jsonl/,
    );
  });

  it('is written to a name of another format if the format is given', async t => {
    const folder = await newFolder(t, { 'in.csv': table() });
    const args = ['score', 'in.csv', '-o', 'out.json', '--report', 'churn', '--output-format', 'jsonl'];
    await exits(rowcast(args, { cwd: folder, env: { ROWCAST_HOME: home } }), 0);
  });
});

/** Customer → its prediction. */
async function predictionsIn(folder: string): Promise<Map<string, number>> {
  const lines = (await readFile(join(folder, 'out.jsonl'), 'utf8')).split('\n').filter(Boolean);
  const rows = lines.map(
    line =>
      JSON.parse(line.replaceAll(/NaN|-?Infinity/g, 'null')) as {
        customer: string;
        probability_yes?: number | null;
      },
  );
  return new Map(
    rows.flatMap(row => (row.probability_yes == null ? [] : [[row.customer, row.probability_yes] as const])),
  );
}
