import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { scoreDefaults } from '../../../src/base/options/values/run-values.ts';
import { repair } from '../../../src/runs/repair/repair.ts';
import { recordedFiles } from '../../crash/files/recorded-files.ts';
import { newFolder } from '../../support/folder.ts';
import { exits, rowcast } from '../../support/in-process.ts';
import { isFull } from '../../support/random-tests.ts';
import { csv, history } from '../../support/service/history.ts';
import { trainedHome } from '../../support/service/serving.ts';

/** Copies a folder with the exact times of its files, which the ledger compares. */
const copy = (from: string, to: string) => promisify(execFile)('cp', ['-a', from, to]);

/** A folder command with rejects, which are corrected and scored, but not put back. */
async function bench(t: TestContext) {
  const folder = await newFolder(t);
  const [before, cwd] = [join(folder, 'before'), join(folder, 'work')];
  const local = ['--report', 'one', '--home', await trainedHome()];
  const run = async (code: number, ...args: string[]): Promise<string> => {
    const { stderr, stdout } = await exits(rowcast(args, { cwd }), code);
    return stderr + stdout.toString();
  };
  await mkdir(join(cwd, 'in'), { recursive: true });
  await writeFile(join(cwd, 'in/a.csv'), csv(history({ rows: 5 })));
  for (const id of [8, 9]) await writeFile(join(cwd, 'in/a.csv'), `id-${id},35.10\n`, { flag: 'a' });
  const score = ['score', 'in/*.csv', '-o', 'out/{name}.csv', ...local];
  await run(1, ...score);
  const rejects = await readFile(join(cwd, 'out/a.csv.rejects'), 'utf8');
  await writeFile(join(cwd, 'corrected'), rejects.replaceAll(',35.10', ',35.10,Basic,7,'));
  await run(0, 'score', 'corrected', '-o', 'corrected.csv', ...local);
  await copy(cwd, before);
  const reset = async (): Promise<void> => {
    await rm(cwd, { recursive: true });
    await copy(before, cwd);
  };
  /** Repairs until an operation, which is not done, and neither is anything after it. */
  const repairUntil = async (number: number): Promise<string | undefined> => {
    let operations = 0;
    let last: string | undefined;
    const storage = recordedFiles({
      before({ text }) {
        if (/^close/.test(text) || ++operations < number) return;
        last ??= text;
        throw new Error('killed');
      },
    });
    const files = { output: join(cwd, 'out/a.csv'), corrected: join(cwd, 'corrected.csv') };
    const { maxRecordBytes } = scoreDefaults;
    await repair({ ...files, maxRecordBytes, private: false, storage }).catch(() => {});
    return last;
  };
  const contents = async (): Promise<Record<string, string>> => {
    const names = (await readdir(join(cwd, 'out'))).filter(name => !name.startsWith('.'));
    const texts = names.sort().map(async name => [name, await readFile(join(cwd, 'out', name), 'utf8')]);
    return Object.fromEntries(await Promise.all(texts));
  };
  return { local, run, score, reset, repairUntil, contents };
}

describe('a repair that is killed', () => {
  it('leaves the old files, or is finished by the next command that uses the output, whichever that is', async t => {
    const { local, run, score, reset, repairUntil, contents } = await bench(t);
    const [old, commands] = [
      await contents(),
      [
        { args: ['verify', 'in/a.csv', 'out/a.csv'], says: /7 rows/ },
        { args: ['status', 'out/a.csv'], says: /: finished/ },
        { args: ['status', 'out'], says: /1 finished/ },
        { args: score, says: /1 unchanged or skipped/ },
        { args: [...score, '--shards', '2', '--workers', '1'], says: /unchanged|skipped/ },
        {
          args: ['score', 'in/a.csv', '-o', 'out/a.csv', '--if-exists', 'skip', ...local],
          says: /skipped/,
          // The lock of a process that was really killed would show that its partial file may be removed.
          isOnlyFinished: true,
        },
        {
          args: ['repair', 'out/a.csv', 'corrected.csv'],
          says: /2 rows (were )?repaired/,
          isOnlyFinished: true,
        },
        { args: ['abort', 'out/a.csv'], says: /in their places now/, isOnlyFinished: true },
      ],
    ];
    assert.equal(await repairUntil(Number.POSITIVE_INFINITY), undefined);
    const wanted = await contents();
    assert.deepEqual(Object.keys(wanted), ['a.csv', 'a.csv.repaired']);

    const seen = new Set<string>();
    for (let number = 1; ; number++) {
      await reset();
      const last = await repairUntil(number);
      if (last === undefined) break;
      const left = await contents();
      const isPublished = left['a.csv.checkpoint'] !== undefined;
      if (!isPublished && left['a.csv.repaired'] !== undefined) continue; // it was finished
      if (isPublished) seen.add(last);
      if (!isFull && (!isPublished || last.startsWith('sync'))) continue;
      for (const [index, { args, says, isOnlyFinished }] of commands.entries()) {
        if (isOnlyFinished && !isPublished) continue;
        // In a short test, each step is followed by some of the commands.
        if (!isFull && (number + index) % 3 !== 0) continue;
        await reset();
        await repairUntil(number);
        const hasRepaired = isPublished || args[0] === 'repair';
        const isAgain = args[0] === 'score' || args[0] === 'verify' || args[0] === 'status';
        const text = await run(!hasRepaired && args[1] === 'in/*.csv' ? 1 : 0, ...args);
        assert.match(text, says, `${args.join(' ')} after ${last}`);
        const now = await contents();
        assert.deepEqual(kept(now), hasRepaired ? wanted : old, `${args.join(' ')} after ${last}`);
        assert.ok(isAgain || Object.keys(now).length === Object.keys(kept(now)).length, last);
        if (!hasRepaired) continue;
        await run(0, 'verify', 'in/a.csv', 'out/a.csv');
        // The ledger knows that the output is the repaired one.
        assert.match(await run(0, ...score), /1 unchanged or skipped/);
        assert.deepEqual(await contents(), wanted);
      }
    }
    for (const step of ['a.csv.repaired', 'a.csv'])
      assert.ok(seen.has(`rename ${step}.partial to ${step}`), [...seen].join(', '));
    assert.ok(seen.has('remove a.csv.rejects'));
  });
});

/** Without what a killed process leaves until the next command takes its lock. */
const kept = (files: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(files).filter(([name]) => !/\.(partial|new)$/.test(name)));
