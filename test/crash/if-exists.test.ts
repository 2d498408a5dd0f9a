import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { newFolder } from '../support/folder.ts';
import { job } from '../support/scoring/job.ts';
import { score } from '../support/scoring/score.ts';
import { connect } from '../support/stub/connect.ts';
import { send } from '../support/stub/service.ts';

it('a finished output is replaced at the end of a run, but not by a failed one', async t => {
  const folder = await newFolder(t, { 'in.csv': 'id\n1\n', 'out.csv': 'finished before\n' });
  const [input, output] = [join(folder, 'in.csv'), join(folder, 'out.csv')];
  const options = job({ input, output });
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
