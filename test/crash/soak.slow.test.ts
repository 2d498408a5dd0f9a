import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { newFolder } from '../support/folder.ts';
import { seed } from '../support/random-tests.ts';
import { type Finished, startRowcast } from '../support/rowcast.ts';
import { probabilitiesOf, startStub } from '../support/stub/service.ts';
import { FailingService, type Flaw, flawOf, recordOf } from './failing.ts';
import { checkpointOf } from './kills/job.ts';

const ROWS = 100_000;
/** Requests between two outages, and the length of an outage. */
const [AWAY_EVERY, AWAY_MS] = [300, 400];
const classes = ['no', 'yes'];

/** The expected result of the rows, whatever fails meanwhile. */
function expected() {
  const output = ['id,plan,probability_no,probability_yes'];
  /** Row, line and code, and the record. */
  const rejects: { place: string; record: string }[] = [];
  const rejectedBy: Partial<Record<Flaw, number>> = {};
  for (let id = 0; id < ROWS; id++) {
    const record = recordOf(id);
    const flaw = flawOf(id);
    if (flaw === undefined) {
      const { no, yes } = probabilitiesOf({ id, plan: `plan ${id % 7}` }, classes);
      output.push(`${record},${no},${yes}`);
      continue;
    }
    if (flaw !== 'too_few_fields') output.push(`${record},,`);
    rejects.push({ place: `${id + 1},${id + 2},${flaw},`, record });
    rejectedBy[flaw] = (rejectedBy[flaw] ?? 0) + 1;
  }
  return { output, rejects, rejectedBy };
}

it(`100,000 rows get their own predictions although a third of the requests fail and the run is killed`, async t => {
  const records = Array.from({ length: ROWS }, (_, id) => `${recordOf(id)}\n`);
  const folder = await newFolder(t, { 'in.csv': `id,plan\n${records.join('')}` });

  const service = new FailingService(seed);
  const stub = await startStub(t, {
    report: { classes },
    async behave(call) {
      stub.bodies.length = 0; // they would accumulate
      service.respond(call);
      if (service.calls % AWAY_EVERY === 0) {
        await stub.goDown();
        await delay(AWAY_MS);
        await stub.comeUp();
      }
      return true;
    },
  });

  const args = [...'score in.csv --report r -o out.csv --url'.split(' '), stub.url, '--summary', 'sum.json'];
  args.push('--batch-rows', '1000', '--timeout', '2', '--max-outage', '120', '--checkpoint-interval', '0.1');
  const resumes: number[] = [];
  /** Runs the command to its end, or kills it once this many rows are written. */
  const run = async (rows: number): Promise<Finished> => {
    const { child, finished } = startRowcast(args, { cwd: folder, env: { ROWCAST_API_KEY: stub.key } });
    const watching = setInterval(async () => {
      const checkpoint = await checkpointOf(join(folder, 'out.csv'));
      if ((checkpoint?.position.row ?? 0) > rows) child.kill('SIGKILL');
    }, 10);
    const ended = await finished;
    clearInterval(watching);
    const [, row] = /resuming at row ([\d,]+)/.exec(ended.stderr) ?? [];
    if (row !== undefined) resumes.push(Number(row.replaceAll(',', '')));
    return ended;
  };
  let ended = await run(0);
  for (let rows = ROWS / 7; ended.signal === 'SIGKILL'; rows += ROWS / 7) ended = await run(rows);
  const { code, stderr } = ended;
  assert.equal(code, 1, stderr);
  t.diagnostic(
    `${service.calls} requests, ${service.failures} of them failed; resumed at ${resumes.join(', ')}`,
  );
  assert.deepEqual(service.untaken, []);
  assert.ok(service.failures > service.calls / 3);
  assert.ok(resumes.length >= 3);

  const { output, rejects, rejectedBy } = expected();
  const written = (await readFile(join(folder, 'out.csv'), 'utf8')).split('\n');
  assert.equal(written.pop(), '');
  for (const [index, line] of output.entries()) assert.equal(written[index], line);
  assert.equal(written.length, output.length);

  const rejectLines = (await readFile(join(folder, 'out.csv.rejects'), 'utf8')).split('\n');
  assert.equal(rejectLines.shift(), 'reject_row,reject_line,reject_code,reject_reason,id,plan');
  assert.equal(rejectLines.pop(), '');
  for (const [index, { place, record }] of rejects.entries()) {
    assert.equal(rejectLines[index]?.slice(0, place.length), place);
    assert.ok(rejectLines[index]?.endsWith(`,${record}`), place);
  }
  assert.equal(rejectLines.length, rejects.length);

  const { rows } = JSON.parse(await readFile(join(folder, 'sum.json'), 'utf8'));
  const rejected = rejects.length;
  assert.deepEqual(rows, { read: ROWS, scored: ROWS - rejected, rejected, rejected_by: rejectedBy });
  assert.deepEqual((await readdir(folder)).sort(), ['in.csv', 'out.csv', 'out.csv.rejects', 'sum.json']);
});
