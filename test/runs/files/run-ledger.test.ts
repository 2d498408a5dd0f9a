import assert from 'node:assert/strict';
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { RunLedger, versionOf } from '../../../src/runs/files/run-ledger.ts';
import { newFolder } from '../../support/folder.ts';

const finished = {
  run_id: '019c1177-b400-7c1e-9d2b-3f6a8e5b7c90',
  exit_code: 1,
  rows: { read: 9, rejected: 2 },
};

async function recorded(t: TestContext) {
  const folder = await newFolder(t);
  const key = { input: join(folder, 'a.csv'), output: join(folder, 'out.csv'), options: { report: 'r' } };
  await writeFile(key.input, 'in');
  await writeFile(key.output, 'out');
  const read = await versionOf(key.input);
  assert.ok(read);
  const ledger = new RunLedger(folder);
  await ledger.add(key, finished, read);
  await ledger.flush();
  const again = async () => {
    const reread = new RunLedger(folder);
    await reread.read();
    return reread;
  };
  return { folder, key, ledger, again, read };
}

describe('the record of finished runs', () => {
  it('knows a run whose input, output and options are as they were', async t => {
    const { key, again } = await recorded(t);
    const ledger = await again();
    assert.equal((await ledger.unchanged(key))?.rows.rejected, 2);
    assert.equal(await ledger.unchanged({ ...key, options: { report: 's' } }), undefined);
    assert.equal(await ledger.unchanged({ ...key, input: key.output }), undefined);
    assert.equal(await ledger.unchanged({ ...key, output: key.input }), undefined);
  });

  it('notices a changed input and a changed or missing output', async t => {
    for (const file of ['input', 'output'] as const) {
      const { key, again } = await recorded(t);
      await utimes(key[file], 1, 1);
      assert.equal(await (await again()).unchanged(key), undefined, file);
    }
  });

  it('keeps what another command has added', async t => {
    const { folder, key, again, read } = await recorded(t);
    const ledgers = await Promise.all([again(), again(), again()]);
    await Promise.all(
      ledgers.map(async (ledger, index) => {
        const output = join(folder, `out${index}.csv`);
        await writeFile(output, String(index));
        await ledger.add({ ...key, output }, finished, read);
        await ledger.flush();
      }),
    );
    const ledger = await again();
    for (const name of ['out.csv', 'out0.csv', 'out1.csv', 'out2.csv'])
      assert.ok(await ledger.unchanged({ ...key, output: join(folder, name) }), name);
  });

  it('leaves no file next to it, nor one of a command that was killed while it wrote', async t => {
    const { folder, key, ledger, read, again } = await recorded(t);
    await writeFile(`${ledger.path}.new`, 'x'.repeat(9_999));
    await ledger.add({ ...key, options: { report: 's' } }, finished, read);
    await ledger.flush();
    assert.deepEqual((await readdir(folder)).sort(), ['.rowcast-runs.json', 'a.csv', 'out.csv']);
    assert.equal((await (await again()).unchanged({ ...key, options: { report: 's' } }))?.exit_code, 1);
  });

  it('is reported if it is damaged, and is written anew', async t => {
    const { key, ledger, again, read } = await recorded(t);
    for (const text of ['', '{', '{"format": 2, "runs": {}}', '{"format": 1, "runs": {"a": 1}}']) {
      await writeFile(ledger.path, text);
      await assert.rejects(again(), { code: 'bad_ledger' });
    }
    await ledger.add(key, finished, read);
    await ledger.flush();
    assert.ok(await (await again()).unchanged(key));
    assert.deepEqual(Object.keys(JSON.parse(await readFile(ledger.path, 'utf8')).runs), ['out.csv']);
  });
});
