import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { describe, it, type TestContext } from 'node:test';
import { commandsIn } from '../support/cli/commands.ts';
import { exits } from '../support/in-process.ts';
import { marked } from '../support/secrets.ts';
import { send, startStub } from '../support/stub/service.ts';

const rows = Array.from({ length: 1000 }, (_, row) => `${row},"${marked} ${row}"`);
const input = `\ufeffid,plan\r\n${rows.join('\r\n')}\r\n`;
const score = 'score in.csv --report r -o out.csv';

/** A folder with in.csv, and a service that rejects the personas with the given ids. */
async function bench(t: TestContext, refused: readonly number[], status = 422) {
  const stub = await startStub(t, {
    report: { classes: ['no', 'yes'] },
    behave({ body, response }) {
      if (!body.personas.some(({ features }) => refused.includes(Number(features.id)))) return false;
      send(response, status, { code: 'not_a_persona', detail: 'the plan, so to say, is not known' });
      return true;
    },
  });
  return { ...(await commandsIn(t, { 'in.csv': input }, stub.env)), calls: () => stub.bodies.length };
}

describe('rejects', () => {
  it('cost one row each, and at most 2·log2(n) + 1 extra requests', async t => {
    const { read, calls, run } = await bench(t, [617]);
    await exits(run(score), 1, /999 rows scored, 1 rejected \(1 × not_a_persona\)/);
    assert.ok(calls() - 1 <= 2 * Math.log2(1000) + 1, `${calls()} calls`);
    assert.equal(
      await read('out.csv.rejects'),
      '\ufeffreject_row,reject_line,reject_code,reject_reason,id,plan\r\n' +
        `618,619,not_a_persona,"the service responded with 422: the plan, so to say, is not known",617,"${marked} 617"\r\n`,
    );
    assert.ok((await read('out.csv')).includes(`\r\n617,"${marked} 617",,\r\n`));
    await exits(run('verify in.csv out.csv'), 0);
  });

  it('of the previous run are replaced', async t => {
    const { cwd, run } = await bench(t, [3]);
    await run(score);
    await run(`${score} --limit 2`);
    assert.deepEqual((await readdir(cwd)).sort(), ['in.csv', 'out.csv']);
  });

  it('over the limit stop the run, and the same command with a higher limit resumes it', async t => {
    const { cwd, run, read } = await bench(t, [3, 500, 900]);
    const batches = `${score} --batch-rows 100 --concurrency 1`;
    await run(batches);
    const whole = [await read('out.csv'), await read('out.csv.rejects')];
    const says = /2 of 600 rows were rejected: 2 × not_a_persona \[too_many_rejects\]/;
    await exits(run(`${batches} --max-rejects 1`), 3, says);
    assert.ok((await readdir(cwd)).includes('out.csv.rejects.partial'));
    await exits(run(`${batches} --max-rejects 0.3% --rejects-ok 0.3%`), 0, /resuming at row/);
    assert.deepEqual([await read('out.csv'), await read('out.csv.rejects')], whole);
  });

  it('without a file are reported on stderr with line, code and reason, up to 20 of them', async t => {
    const refused = Array.from({ length: 30 }, (_, id) => id * 30);
    const { run } = await bench(t, refused);
    const { stderr, stdout } = await exits(run('score in.csv --report r'), 1);
    const each = /:\d+: row rejected: the service responded with 422: .* \[not_a_persona\]/g;
    assert.equal(stderr.match(each)?.length, 20);
    assert.match(stderr, /further rejects are counted/);
    assert.match(stderr, /970 rows scored, 30 rejected/);
    assert.equal(stdout.split('\r\n').length, 1002);
  });

  it('with status 413 do not shrink all later batches, however small the rows are', async t => {
    const { calls, write, run } = await bench(t, [5017], 413);
    const many = Array.from({ length: 20_000 }, (_, row) => `${row},plan\n`);
    await write('in.csv', `id,plan\n${many.join('')}`);
    await exits(run(`${score} --batch-rows 100 --concurrency 1`), 1);
    assert.ok(calls() < 250, `${calls()} calls`);
  });
});
