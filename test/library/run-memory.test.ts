import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { lastRunOf } from '../../src/library/run-memory.ts';
import { RunLedger } from '../../src/runs/several/run-ledger.ts';
import { backends, versionOf } from '../../src/storage/backends.ts';
import { newFolder } from '../support/folder.ts';

const good = {
  run_id: '019c1177-b400-7c1e-9d2b-3f6a8e5b7c90',
  exit_code: 0,
  started_at: null,
  finished_at: '2026-11-28T02:00:00.000Z',
  input: 'in/*.csv',
  output: 'out/{name}.csv',
  report: 'r',
  rows: { read: 9, scored: 9, rejected: 0 },
  columns: null,
  scores: null,
  labels: null,
  digests: [],
};

async function openLedger(t: TestContext) {
  const folder = await newFolder(t);
  const output = join(folder, 'a.csv');
  await writeFile(output, 'out');
  const read = await versionOf(output);
  assert.ok(read);
  const ledger = new RunLedger(folder);
  const facts = { run_id: good.run_id, exit_code: 0, rows: { read: 9, rejected: 0 } };
  const key = { input: output, output, rejects: undefined, options: {} };
  await ledger.add(key, facts, read);
  return { folder, ledger, key };
}

describe('the last good run of a command', () => {
  it('is added to the ledger that the command writes, whose entries are not read again for it', async t => {
    const { folder, ledger, key } = await openLedger(t);
    const pattern = join(folder, '{name}.csv');
    const parse = t.mock.method(JSON, 'parse');
    await lastRunOf(pattern, pattern, backends, ledger).write(good);
    const parsed = parse.mock.calls.filter(({ arguments: [text] }) => String(text).includes('"runs"'));
    assert.deepEqual(parsed, []);
    const again = new RunLedger(folder);
    await again.read();
    assert.ok(await again.unchanged(key));
    assert.deepEqual(await lastRunOf(pattern, pattern).read(), good);
  });

  it('is added to the ledger of another folder without losing what that has', async t => {
    const { folder, ledger, key } = await openLedger(t);
    const pattern = join(folder, '{name}.csv');
    await ledger.flush();
    const daily = [join(folder, `\${ROWCAST_DAY}`, '{name}.csv'), join(folder, '01', '{name}.csv')] as const;
    await lastRunOf(pattern, pattern).write(good);
    await lastRunOf(...daily, backends, new RunLedger(join(folder, '01'))).write({ ...good, exit_code: 1 });
    assert.equal((await lastRunOf(pattern, pattern).read())?.exit_code, 0);
    assert.equal((await lastRunOf(...daily).read())?.exit_code, 1);
    const again = new RunLedger(folder);
    await again.read();
    assert.ok(await again.unchanged(key));
  });
});
