import assert from 'node:assert/strict';
import { readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { recordRepair } from '../../../src/runs/finish-repair.ts';
import { type LedgerKey, RunLedger } from '../../../src/runs/several/run-ledger.ts';
import { versionOf } from '../../../src/storage/backends.ts';
import { newFolder } from '../../support/folder.ts';

const finished = {
  run_id: '019c1177-b400-7c1e-9d2b-3f6a8e5b7c90',
  exit_code: 1,
  rows: { read: 9, rejected: 2 },
};

async function recorded(t: TestContext) {
  const folder = await newFolder(t);
  const key = {
    input: join(folder, 'a.csv'),
    output: join(folder, 'out.csv'),
    rejects: undefined,
    options: { report: 'r' },
  };
  const rejects = `${key.output}.rejects`;
  await writeFile(key.input, 'in');
  await writeFile(key.output, 'out');
  await writeFile(rejects, 'rejected');
  const read = await versionOf(key.input);
  assert.ok(read);
  const ledger = new RunLedger(folder);
  const adding = async (...[added, run]: [LedgerKey, typeof finished]): Promise<void> => {
    await ledger.add(added, run, read);
    await ledger.flush();
  };
  await adding(key, finished);
  const again = async () => {
    const reread = new RunLedger(folder);
    await reread.read();
    return reread;
  };
  return { folder, key, rejects, ledger, again, read, adding };
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

  it('notices rejects that were deleted or changed', async t => {
    for (const change of [rm, (path: string) => writeFile(path, 'others')]) {
      const { key, rejects, again } = await recorded(t);
      await change(rejects);
      assert.equal(await (await again()).unchanged(key), undefined);
    }
  });

  it('notices changed rejects of another name, also if nothing was rejected', async t => {
    const { folder, key, again, adding } = await recorded(t);
    const named = { ...key, rejects: join(folder, 'rejected.csv') };
    await writeFile(named.rejects, 'header');
    await adding(named, { ...finished, rows: { read: 9, rejected: 0 } });
    assert.ok(await (await again()).unchanged(named));
    await rm(named.rejects);
    assert.equal(await (await again()).unchanged(named), undefined);
  });

  it('does not mind a file where rejects would be if none of its rows were rejected', async t => {
    const { key, rejects, again, adding } = await recorded(t);
    await adding(key, { ...finished, rows: { read: 9, rejected: 0 } });
    await rm(rejects);
    assert.ok(await (await again()).unchanged(key));
  });

  it('knows the rejects that a repair has left', async t => {
    const { key, rejects, again } = await recorded(t);
    const before = await versionOf(key.output);
    await writeFile(key.output, 'repaired');
    await writeFile(rejects, 'one');
    await recordRepair(key.output, before, 1);
    assert.equal((await (await again()).unchanged(key))?.rows.rejected, 1);
    await rm(rejects);
    assert.equal(await (await again()).unchanged(key), undefined);
  });

  it('writes the options of many runs once, and reads the ledger of earlier versions, which have them in each', async t => {
    const { folder, key, ledger, again, read, adding } = await recorded(t);
    const second = join(folder, 'second.csv');
    const other = { ...key, output: join(folder, 'other.csv'), options: { report: 's' } };
    for (const output of [second, other.output]) {
      await writeFile(output, '');
      await writeFile(`${output}.rejects`, '');
    }
    await ledger.add({ ...key, output: second, options: { report: 'r' } }, finished, read);
    await adding(other, finished);
    const written = JSON.parse(await readFile(ledger.path, 'utf8'));
    assert.deepEqual(written.options, [{ report: 'r' }, { report: 's' }]);
    const isKnown = async () => {
      const reread = await again();
      assert.ok(await reread.unchanged(key));
      assert.ok(await reread.unchanged({ ...key, output: second }));
      assert.ok(await reread.unchanged(other));
    };
    await isKnown();
    const { options, ...earlier } = structuredClone(written);
    for (const run of Object.values<{ options: unknown }>(earlier.runs))
      run.options = options[Number(run.options)];
    await writeFile(ledger.path, JSON.stringify({ ...earlier, format: 1 }));
    await isKnown();
    await writeFile(ledger.path, JSON.stringify({ ...written, options: [] }));
    await assert.rejects(again(), { code: 'bad_ledger' });
  });

  it('keeps what another command has added', async t => {
    const { folder, key, again, read } = await recorded(t);
    const ledgers = await Promise.all([again(), again(), again()]);
    await Promise.all(
      ledgers.map(async (ledger, index) => {
        const output = join(folder, `out${index}.csv`);
        await writeFile(output, String(index));
        await writeFile(`${output}.rejects`, String(index));
        await ledger.add({ ...key, output }, finished, read);
        await ledger.flush();
      }),
    );
    const ledger = await again();
    for (const name of ['out.csv', 'out0.csv', 'out1.csv', 'out2.csv'])
      assert.ok(await ledger.unchanged({ ...key, output: join(folder, name) }), name);
  });

  it('knows which outputs a command was to write and has not, and why', async t => {
    const { folder, key, ledger, again } = await recorded(t);
    const other = { input: join(folder, 'b.csv'), output: join(folder, 'b.out.csv') };
    const third = { input: join(folder, 'c.csv'), output: join(folder, 'c.out.csv') };
    for (const { input } of [other, third]) await writeFile(input, 'in');
    const error = { code: 'missing_columns', message: 'no column "a"' };
    await ledger.read();
    await ledger.begin([key, other, third]);
    const begun = await (await again()).unfinished();
    assert.deepEqual([...begun.keys()], [other.output, third.output]);
    ledger.fail(other, error);
    ledger.fail(key, error);
    ledger.skip(third);
    await ledger.flush();
    const failed = await (await again()).unfinished();
    assert.deepEqual([...failed.keys()].sort(), [other.output, key.output].sort());
    const { input, error: why } = failed.get(other.output) ?? {};
    assert.deepEqual([input, why], [other.input, error]);
  });

  it('forgets an output that was to be written once it is there, or once its input is gone', async t => {
    const { folder, key, ledger, again, read } = await recorded(t);
    const names = ['run', 'written', 'gone'] as const;
    const filesOf = (name: string) => ({
      input: join(folder, `${name}.csv`),
      output: join(folder, `${name}.out.csv`),
    });
    for (const name of names) await writeFile(filesOf(name).input, 'in');
    await ledger.begin(names.map(filesOf));
    assert.equal((await (await again()).unfinished()).size, names.length);
    for (const name of ['run', 'written']) await writeFile(filesOf(name).output, 'out');
    await ledger.add({ ...key, ...filesOf('run') }, { ...finished, rows: { read: 9, rejected: 0 } }, read);
    await rm(filesOf('gone').input);
    const next = await again();
    await next.begin([]);
    assert.equal((await (await again()).unfinished()).size, 0);
  });

  it('leaves no file next to it, nor one of a command that was killed while it wrote', async t => {
    const { folder, key, ledger, again, adding } = await recorded(t);
    await writeFile(`${ledger.path}.new`, 'x'.repeat(9_999));
    await adding({ ...key, options: { report: 's' } }, finished);
    assert.deepEqual((await readdir(folder)).sort(), [
      '.rowcast-runs.json',
      'a.csv',
      'out.csv',
      'out.csv.rejects',
    ]);
    assert.equal((await (await again()).unchanged({ ...key, options: { report: 's' } }))?.exit_code, 1);
  });

  it('is reported if it is damaged, and is written anew', async t => {
    const { key, ledger, again, adding } = await recorded(t);
    for (const [text, message] of [
      ['', /cannot be read$/],
      ['{', /cannot be read$/],
      ['{"format": 1, "runs": {"a": 1}}', /cannot be read$/],
      ['{"format": 3, "runs": {}}', /is not of format 2, which this version reads$/],
    ] as const) {
      await writeFile(ledger.path, text);
      await assert.rejects(again(), { code: 'bad_ledger', message });
    }
    await adding(key, finished);
    assert.ok(await (await again()).unchanged(key));
    assert.deepEqual(Object.keys(JSON.parse(await readFile(ledger.path, 'utf8')).runs), ['out.csv']);
  });
});
