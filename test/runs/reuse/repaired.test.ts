import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { newFolder } from '../../support/folder.ts';
import { exits, rowcast } from '../../support/in-process.ts';
import { startStub } from '../../support/stub/service.ts';
import { rejectBadPlans } from './bad-plans.ts';

const report = { classes: ['no', 'yes'], model_sha256: 'a'.repeat(64) };
const input = `id,plan\n${Array.from({ length: 9 }, (_, row) => `${row},p${row}`).join('\n')}\n9,bad\n`;

/** A first night of which one row was rejected, and corrected. */
async function corrected(t: TestContext) {
  const cwd = await newFolder(t, { 'in.csv': input, 'right.csv': input.replace('bad', 'good') });
  const stub = await startStub(t, {
    report,
    behave: rejectBadPlans,
  });
  const run = (...args: string[]) => rowcast(args, { cwd, env: stub.env });
  const first = 'score in.csv -o old.csv --report r --features plan --reuse none'.split(' ');
  const { stderr } = await exits(run(...first), 1);
  const rejects = join(cwd, 'old.csv.rejects');
  await writeFile(rejects, (await readFile(rejects, 'utf8')).replace(/,bad$/m, ',good'));
  const printed = [...stderr.matchAll(/^ {2}rowcast (.*)$/gm)].map(([, line = '']) => line.split(' '));
  const [score = [], repair = []] = printed;
  const again = 'score right.csv -o new.csv --report r --features plan --reuse old.csv'.split(' ');
  return { old: join(cwd, 'old.csv'), stub, run, score, repair, again };
}

describe('a repaired output', () => {
  it('is reused with its corrected rows, if these were scored by the command that the run has printed', async t => {
    const { stub, run, score, repair, again } = await corrected(t);
    await exits(run(...score), 0);
    await exits(run(...repair), 0);
    stub.bodies.length = 0;
    await exits(run(...again), 0, /10 rows scored \(10 reused, 100%\)/);
    assert.equal(stub.bodies.length, 0);
  });

  it('is refused if its corrected rows may be of another model', async t => {
    const { run, score, repair, again } = await corrected(t);
    await exits(run(...score.filter(word => word !== '--reuse' && word !== 'old.csv')), 0);
    await exits(run(...repair), 0);
    await exits(run(...again), 2, /the file was changed or repaired since its run has finished/);
  });

  it('is refused if it was changed by hand before', async t => {
    const { old, run, score, repair, again } = await corrected(t);
    await exits(run(...score), 0);
    await writeFile(old, (await readFile(old, 'utf8')).replace('p1', 'p8'));
    await exits(run(...repair), 0);
    await exits(run(...again), 2, /the file was changed or repaired since its run has finished/);
  });
});
