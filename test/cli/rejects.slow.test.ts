import assert from 'node:assert/strict';
import { readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { newFolder } from '../support/folder.ts';
import { exits, rowcast } from '../support/in-process.ts';
import type { Finished } from '../support/rowcast.ts';
import { marked } from '../support/secrets.ts';
import { type StubOptions, send, startStub } from '../support/stub/service.ts';

const rows = Array.from({ length: 1000 }, (_, row) => `${row},"${marked} ${row}"`);
const input = `\ufeffid,plan\r\n${rows.join('\r\n')}\r\n`;

/** A folder with in.csv, and a service that rejects the personas with the given ids. */
async function bench(
  t: TestContext,
  refused: readonly number[],
  options: StubOptions = {},
): Promise<{ folder: string; calls: () => number; run: (...args: string[]) => Promise<Finished> }> {
  const stub = await startStub(t, {
    report: { classes: ['no', 'yes'] },
    behave({ body, response }) {
      if (!body.personas.some(({ features }) => refused.includes(Number(features.id)))) return false;
      send(response, 422, { code: 'not_a_persona', detail: 'the plan, so to say, is not known' });
      return true;
    },
    ...options,
  });
  const folder = await newFolder(t, { 'in.csv': input });
  const { env } = stub;
  return {
    folder,
    calls: () => stub.bodies.length,
    run: (...args) =>
      rowcast([...args, ...(args[0] === 'score' ? ['--report', 'r'] : [])], { cwd: folder, env }),
  };
}

describe('rejects', () => {
  it('cost one row each, and at most 2·log2(n) + 1 extra requests', async t => {
    const { folder, calls, run } = await bench(t, [617]);
    await exits(
      run('score', 'in.csv', '-o', 'out.csv'),
      1,
      /999 rows scored, 1 rejected \(1 × not_a_persona\)/,
    );
    assert.ok(calls() - 1 <= 2 * Math.log2(1000) + 1, `${calls()} calls`);
    assert.equal(
      await readFile(join(folder, 'out.csv.rejects'), 'utf8'),
      '\ufeffreject_row,reject_line,reject_code,reject_reason,id,plan\r\n' +
        `618,619,not_a_persona,"the service responded with 422: the plan, so to say, is not known",617,"${marked} 617"\r\n`,
    );
    const output = await readFile(join(folder, 'out.csv'), 'utf8');
    assert.ok(output.includes(`\r\n617,"${marked} 617",,\r\n`));
    assert.equal((await run('verify', 'in.csv', 'out.csv')).code, 0);
  });

  it('can be corrected and scored again as they are: the added columns are not sent', async t => {
    const { folder, run } = await bench(t, [3]);
    await run('score', 'in.csv', '-o', 'out.csv');
    const file = join(folder, 'out.csv.rejects');
    await writeFile(file, (await readFile(file, 'utf8')).replace(',3,"', ',2000,"'));
    const { stdout } = await exits(run('score', 'out.csv.rejects'), 0);
    assert.match(stdout.toString(), /,2000,"[^"]* 3",0\.\d+,0\.\d+\r\n$/);
  });

  it('include malformed records, unchanged; these are not in the output', async t => {
    const { folder, run } = await bench(t, []);
    await writeFile(join(folder, 'in.csv'), 'a,b\n1,2\n3\n"4"x,"5\n6,7');
    assert.equal((await run('score', 'in.csv', '-o', 'out.csv', '--rejects', 'bad.csv')).code, 1);
    assert.equal(
      await readFile(join(folder, 'bad.csv'), 'utf8'),
      'reject_row,reject_line,reject_code,reject_reason,a,b\n' +
        '2,3,too_few_fields,"the record has 1 field, the header 2",3\n' +
        '3,4,bad_quoting,text follows a closing quote,"4"x,"5\n',
    );
    assert.match(await readFile(join(folder, 'out.csv'), 'utf8'), /^a,b,.*\n1,2,.*\n6,7,[^\n]*$/);
    assert.equal((await run('verify', 'in.csv', 'out.csv', '--rejects', 'bad.csv')).code, 0);
  });

  it('of the previous run are replaced', async t => {
    const { folder, run } = await bench(t, [3]);
    await run('score', 'in.csv', '-o', 'out.csv');
    await run('score', 'in.csv', '-o', 'out.csv', '--limit', '2');
    assert.deepEqual((await readdir(folder)).sort(), ['in.csv', 'out.csv']);
  });

  it('over the limit stop the run, and the same command with a higher limit resumes it', async t => {
    const { folder, run } = await bench(t, [3, 500, 900]);
    const args = ['score', 'in.csv', '-o', 'out.csv', '--batch-rows', '100', '--concurrency', '1'];
    await exits(
      run(...args, '--max-rejects', '1'),
      3,
      /2 of 600 rows were rejected: 2 × not_a_persona \[too_many_rejects\]/,
    );
    assert.deepEqual((await readdir(folder)).sort(), [
      'in.csv',
      'out.csv.checkpoint',
      'out.csv.partial',
      'out.csv.rejects.partial',
    ]);
    assert.equal((await run(...args, '--max-rejects', '0.3%', '--rejects-ok', '3')).code, 0);
    const whole = await bench(t, [3, 500, 900]);
    await whole.run(...args);
    for (const name of ['out.csv', 'out.csv.rejects'])
      assert.deepEqual(await readFile(join(folder, name)), await readFile(join(whole.folder, name)), name);
  });

  it('over a percentage stop the run, once 1,000 rows were read and at its end', async t => {
    const { folder, calls, run } = await bench(t, []);
    const write = (rows: number, isBad: (row: number) => boolean): Promise<void> => {
      const records = Array.from({ length: rows }, (_, row) => (isBad(row) ? `${row}\n` : `${row},plan\n`));
      return writeFile(join(folder, 'in.csv'), `id,plan\n${records.join('')}`);
    };
    const args = ['score', 'in.csv', '-o', 'out.csv', '--batch-rows', '100', '--concurrency', '1'];
    // Half of the first 400, a tenth of all 2,000.
    await write(2000, row => row < 400 && row % 2 === 0);
    await exits(
      run(...args, '--max-rejects', '19.9%'),
      3,
      /200 of 1,000 rows were rejected: 200 × too_few_fields \[too_many_rejects\]/,
      /checkpoint saved at row 1,000\n.*to resume, run the same command with a higher --max-rejects/s,
    );
    await exits(run(...args, '--max-rejects', '20%', '--rejects-ok', '10%'), 0, /resuming at row 1,001/);

    // Before 1,000 rows were read, the sample is too small, so the limit is checked only at the end.
    await write(900, row => row < 90);
    await exits(run(...args, '--max-rejects', '9.9%'), 3, /90 of 900 rows were rejected/);
    const asked = calls();
    await exits(run(...args, '--max-rejects', '10%', '--rejects-ok', '89'), 1);
    assert.equal(calls(), asked, 'all rows were scored before');
  });

  it('up to --rejects-ok are tolerated, one more is not', async t => {
    const { run } = await bench(t, [3, 500]);
    for (const [allowed, code] of [
      ['2', 0],
      ['1', 1],
      ['0.2%', 0],
      ['0.19%', 1],
    ] as const)
      assert.equal(
        (await run('score', 'in.csv', '-o', 'out.csv', '--rejects-ok', allowed)).code,
        code,
        allowed,
      );
  });

  it('that are shorter than their checkpoint requires are not recreated: the rerun is refused', async t => {
    const { folder, run } = await bench(t, [3, 500]);
    const args = ['score', 'in.csv', '-o', 'out.csv', '--batch-rows', '100', '--concurrency', '1'];
    await run(...args, '--max-rejects', '1');
    await truncate(join(folder, 'out.csv.rejects.partial'), 10);
    await exits(
      run(...args),
      2,
      /rejects\.partial: the file has 10 of the \d+ bytes that were written to it .*\n.*--restart/,
    );
  });

  it('without a file are reported on stderr with line, code and reason, up to 20 of them', async t => {
    const { run } = await bench(
      t,
      Array.from({ length: 30 }, (_, id) => id * 30),
    );
    const { stderr, stdout } = await exits(run('score', 'in.csv'), 1);
    assert.equal(
      stderr.match(/:\d+: row rejected: the service responded with 422: .* \[not_a_persona\]/g)?.length,
      20,
    );
    assert.match(stderr, /further rejects are counted/);
    assert.match(stderr, /970 rows scored, 30 rejected/);
    assert.equal(stdout.toString().split('\r\n').length, 1002);
  });

  it('include rows on which the service fails, even if no other requests are in flight to compare with', async t => {
    const { run, folder } = await bench(t, [], {
      behave({ body, response }) {
        if (!body.personas.some(({ features }) => features.id === 17)) return false;
        send(response, 500, { code: 'broken', detail: 'division by zero' });
        return true;
      },
    });
    for (const batchRows of ['1000', '10']) {
      const args = ['--batch-rows', batchRows, '--max-outage', '20', '--limit', '20'];
      await exits(
        run('score', 'in.csv', '-o', 'out.csv', ...args),
        1,
        /19 rows scored, 1 rejected \(1 × broken\)/,
      );
      assert.match(
        await readFile(join(folder, 'out.csv.rejects'), 'utf8'),
        /\r\n18,19,broken,the service responded with 500: division by zero,17,"MARKED-VALUE-5e0b 17"\r\n$/,
      );
    }
  });

  it('include such rows in the first half of their batch: rows scored before can still serve as probes', async t => {
    const { run } = await bench(t, [], {
      behave({ body, response }) {
        if (!body.personas.some(({ features }) => features.id === 51)) return false;
        send(response, 500, { code: 'broken' });
        return true;
      },
    });
    const args = ['--batch-rows', '10', '--concurrency', '1', '--max-outage', '20', '--limit', '100'];
    await exits(
      run('score', 'in.csv', '-o', 'out.csv', ...args),
      1,
      /99 rows scored, 1 rejected \(1 × broken\)/,
    );
  });

  it('do not occur if the service fails on every row for a while', async t => {
    const { run } = await bench(t, [], {
      behave({ number, response }) {
        const isBroken = number > 5 && number <= 16;
        if (isBroken) send(response, 500, { code: 'broken' });
        return isBroken;
      },
    });
    const args = ['--batch-rows', '1', '--concurrency', '1', '--max-outage', '60', '--limit', '20'];
    await exits(run('score', 'in.csv', '-o', 'out.csv', ...args), 0, /20 rows scored in/);
  });

  it('include rows with invalid probabilities, even if they are all that is left of a batch', async t => {
    const { run } = await bench(t, [500], {
      behave({ body, response, defaultResponse }) {
        const ids = body.personas.map(({ features }) => Number(features.id));
        if (ids.includes(500)) send(response, 422, { code: 'not_a_persona' });
        else {
          const isBad = (id = 0): boolean => [499, 501, 502, 999].includes(id);
          const predictions = defaultResponse.predictions.map((own, index) =>
            isBad(ids[index]) ? { probabilities: { no: 2, yes: 2 } } : own,
          );
          send(response, 200, { ...defaultResponse, predictions });
        }
        return true;
      },
    });
    // The last row forms its own batch.
    await exits(
      run('score', 'in.csv', '-o', 'out.csv', '--batch-rows', '333'),
      1,
      /995 rows scored, 5 rejected \(4 × wrong_probabilities, 1 × not_a_persona\)/,
    );
  });

  it('with status 413 do not shrink all later batches, however small the rows are', async t => {
    const { calls, folder, run } = await bench(t, [], {
      behave({ body, response }) {
        if (!body.personas.some(({ features }) => features.id === 5017)) return false;
        send(response, 413, { code: 'too_large' });
        return true;
      },
    });
    const many = Array.from({ length: 20_000 }, (_, row) => `${row},plan\n`);
    await writeFile(join(folder, 'in.csv'), `id,plan\n${many.join('')}`);
    const args = ['--batch-rows', '100', '--concurrency', '1'];
    await exits(run('score', 'in.csv', '-o', 'out.csv', ...args), 1);
    assert.ok(calls() < 250, `${calls()} calls`);
  });

  it('do not occur if the service rejects every row: the run stops with the service’s message', async t => {
    const { calls, run } = await bench(t, [], {
      behave({ response }) {
        send(response, 400, { code: 'malformed', detail: 'no member "rows"' });
        return true;
      },
    });
    await exits(
      run('score', 'in.csv', '--batch-rows', '50', '-o', 'out.csv'),
      3,
      /the service responded with 400: no member "rows"/,
    );
    assert.ok(calls() < 150, `${calls()} calls`);
  });
});
