import assert from 'node:assert/strict';
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { random } from '../../../fixtures/random.ts';
import { manyRows } from '../../crash/many-rows.ts';
import { newFolder } from '../../support/folder.ts';
import { isFull, seed } from '../../support/random-tests.ts';
import { exits, rowcast, startRowcast } from '../../support/rowcast.ts';
import { trainedHome } from '../../support/service/serving.ts';

/** REPAIR_KILLS=200 makes more. */
const KILLS = Number(process.env.REPAIR_KILLS ?? (isFull ? 8 : 4));
const ROWS = 20_000;

for (const name of ['out.csv', 'out.csv.gz'])
  it(`a repair of ${name} that is killed leaves the old files or the new ones, and a second one finishes it`, async t => {
    const folder = await newFolder(t);
    const work = join(folder, 'work');
    const env = { ROWCAST_HOME: await trainedHome() };
    const run = async (code: number, ...args: string[]): Promise<string> =>
      (await exits(rowcast(args, { cwd: work, env }), code)).stderr;
    await newWork();
    await writeFile(join(work, 'in.csv'), manyRows(ROWS, '77'));
    const said = await run(1, 'score', 'in.csv', '--report', 'one', '-o', name);
    const commands = [...said.matchAll(/^ {2}rowcast (.*)$/gm)].map(([, words = '']) => words.split(' '));
    const [score = [], repair = []] = commands;
    const corrected = (await readFile(join(work, `${name}.rejects`), 'utf8')).replaceAll('"7"7', '77');
    const files = ['in.csv', name, `${name}.rejects`];
    await writeFile(join(work, `${name}.rejects`), corrected);
    await run(0, ...score);
    files.push(`${name}.corrected`);
    for (const file of files) await copyFile(join(work, file), join(folder, file));
    const begun = performance.now();
    assert.match(await run(0, ...repair), /rows repaired in out\.csv/);
    const usual = performance.now() - begun;
    const expected = await contents();

    const { unit } = random(seed);
    const ends = { old: 0, new: 0 };
    for (let kill = 0; kill < KILLS; kill++) {
      await newWork();
      for (const file of files) await copyFile(join(folder, file), join(work, file));
      const before = await contents();
      const { child, finished } = startRowcast(repair, { cwd: work, env });
      await Promise.race([finished, delay(usual * (0.3 + unit()))]);
      child.kill('SIGKILL');
      await finished;
      const names = await readdir(work);
      if (!names.some(name => name.endsWith('.checkpoint'))) {
        const now = await contents();
        const isNew = now[`${name}.repaired`] !== undefined;
        ends[isNew ? 'new' : 'old']++;
        assert.deepEqual(now, isNew ? expected : before);
        if (isNew) await run(0, 'verify', 'in.csv', name);
        // It removes what the dead process has left, and nothing else.
        const skip = ['score', 'in.csv', '--report', 'one', '-o', name, '--if-exists', 'skip'];
        assert.match(await run(0, ...skip), /skipped/);
        assert.deepEqual(await contents(), now);
        await checkNothingLeft();
      }
      await rowcast(repair, { cwd: work, env });
      assert.deepEqual(await contents(), expected);
      await run(0, 'verify', 'in.csv', name);
      await checkNothingLeft();
    }
    t.diagnostic(`killed before: ${ends.old}, after: ${ends.new}`);

    async function checkNothingLeft(): Promise<void> {
      const names = await readdir(work);
      assert.deepEqual(
        names.filter(left => /partial|checkpoint|lock/.test(left)),
        [],
      );
    }
    async function newWork(): Promise<void> {
      await rm(work, { recursive: true, force: true });
      await mkdir(work);
    }
    async function contents(): Promise<Record<string, string>> {
      const found: Record<string, string> = {};
      for (const file of await readdir(work)) {
        if (/partial|lock|corrected|checkpoint\.new/.test(file)) continue;
        const bytes = await readFile(join(work, file));
        found[file] = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
      }
      return found;
    }
  });
