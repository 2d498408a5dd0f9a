import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { newFolder } from '../support/folder.ts';
import { job } from '../support/scoring/job.ts';
import { score } from '../support/scoring/score.ts';
import { connect } from '../support/stub/connect.ts';
import { send } from '../support/stub/service.ts';

async function existing(t: TestContext, ifExists: 'replace' | 'fail' | 'skip') {
  const folder = await newFolder(t, { 'in.csv': 'id\n1\n', 'out.csv': 'finished before\n' });
  const [input, output] = [join(folder, 'in.csv'), join(folder, 'out.csv')];
  return { folder, output, options: job({ input, output, ifExists }) };
}

describe('a finished output', () => {
  it('is replaced at the end of a run, but not by a failed one', async t => {
    const { folder, output, options } = await existing(t, 'replace');
    let isWell = false;
    const { client } = await connect(t, {
      behave({ response }) {
        if (!isWell) send(response, 401, {});
        return !isWell;
      },
    });
    await assert.rejects(score(options, client));
    assert.equal(await readFile(output, 'utf8'), 'finished before\n');
    // No row was scored, so there is nothing to resume, and no files are left.
    assert.deepEqual((await readdir(folder)).sort(), ['in.csv', 'out.csv']);
    isWell = true;
    await score(options, client);
    assert.match(await readFile(output, 'utf8'), /^id,probability_no,/);
  });

  for (const ifExists of ['fail', 'skip'] as const)
    it(`is left unchanged with ${ifExists}, which reports it or not`, async t => {
      const { folder, output, options } = await existing(t, ifExists);
      const { client, stub } = await connect(t);
      const run = score(options, client);
      if (ifExists === 'skip') assert.equal(await run, undefined);
      else await assert.rejects(run, { code: 'output_exists', severity: 'refused' });
      assert.equal(await readFile(output, 'utf8'), 'finished before\n');
      assert.equal(stub.bodies.length, 0);
      assert.deepEqual((await readdir(folder)).sort(), ['in.csv', 'out.csv']);
    });
});
