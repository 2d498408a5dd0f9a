import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { random } from '../../fixtures/random.ts';
import type { RowcastError } from '../../src/base/errors.ts';
import { ClosedPipe } from '../../src/base/interrupted.ts';
import { makeFifo } from '../support/fifo.ts';
import { newFolder } from '../support/folder.ts';
import { seed } from '../support/random-tests.ts';
import { root } from '../support/root.ts';
import { job } from '../support/scoring/job.ts';
import { score } from '../support/scoring/score.ts';
import { assertScored } from '../support/scoring/scored.ts';
import { slow } from '../support/slow.ts';
import { connect } from '../support/stub/connect.ts';
import { probabilitiesOf, type StubCall, send } from '../support/stub/service.ts';

const personas = join(root, 'fixtures/telecom-personas.csv');
const classes = ['no', 'yes'];

/** A CSV with rows that all differ. */
const rowsOf = (count: number): string =>
  `id,text\n${Array.from({ length: count }, (_, row) => `${row},row ${row}\n`).join('')}`;

/** A folder with an input, and the paths of a run of it. */
async function filesWith(t: TestContext, text: string) {
  const folder = await newFolder(t, { 'in.csv': text });
  return { folder, input: join(folder, 'in.csv'), output: join(folder, 'out.csv') };
}

const failureOf = (run: Promise<unknown>): Promise<RowcastError> =>
  run.then(
    () => assert.fail('the run did not fail'),
    error => error,
  );

describe('a run', { concurrency: true }, () => {
  it('reports rejects that stay valid: later reads do not overwrite their bytes', async t => {
    const long = 'x'.repeat(5000);
    const rows = Array.from({ length: 1000 }, (_, row) => `${row},${long}${row % 100 === 7 ? ',more' : ''}`);
    const { input, output } = await filesWith(t, `id,text\n${rows.join('\n')}\n`);
    const { client } = await connect(t, { report: { classes } });
    const records: Buffer[] = [];
    await score(job({ input, output }), client, {
      rejected: ({ record }) => void records.push(record),
    });
    assert.deepEqual(
      records.map(record => record.toString()),
      rows.filter(row => row.endsWith(',more')),
    );
  });

  it('gives every row its own probabilities, in input order, whatever the order of responses', async t => {
    const output = join(await newFolder(t), 'out.csv');
    const input = await readFile(personas);
    const responded: number[] = [];
    const { unit } = random(seed);
    const { client } = await connect(t, {
      concurrency: 8,
      async behave({ number }) {
        await delay(unit() * 30);
        responded.push(number);
        return false;
      },
    });
    const reported: number[] = [];
    const shares: (number | undefined)[] = [];
    const scored = await score(job({ input: personas, output, batchRows: 29 }), client, {
      progress({ rowCounts, fraction: share }) {
        reported.push(rowCounts.scored);
        shares.push(share);
      },
    });
    assertScored(await readFile(output), input);
    assert.notDeepEqual(
      responded,
      responded.toSorted((a, b) => a - b),
      'the responses arrived in order',
    );
    assert.deepEqual(scored?.rowCounts, {
      read: 2000,
      scored: 2000,
      rejected: 0,
      rejectedBy: {},
      blank: 0,
      batches: 69,
      calls: 70,
      retries: {},
      bytesIn: input.length,
      bytesOut: (await readFile(output)).length,
    });
    assert.deepEqual([reported.at(-1), shares.at(-1)], [2000, 1]);
  });

  slow('shrinks batches that were too large, not counting columns that are not sent', async t => {
    // More than fits in flight at once, since those batches are cut before the first response.
    const unsent = 'x'.repeat(12_000);
    const rows = Array.from({ length: 3000 }, (_, row) => `${row},${unsent}\n`);
    const { input, output } = await filesWith(t, `id,unsent\n${rows.join('')}`);
    const { client, stub } = await connect(t, {
      behave({ body, response }) {
        if (body.personas.length <= 40) return false;
        send(response, 413, {});
        return true;
      },
    });
    const scored = await score(job({ input, output, features: ['id'] }), client);
    assert.equal(scored?.rowCounts.scored, 3000);
    assert.ok(stub.bodies.length < 400, `${stub.bodies.length} calls`);
  });

  it('gives the same bytes whatever the batches and retries', async t => {
    const folder = await newFolder(t);
    const outputs: string[] = [];
    for (const options of [
      { batchRows: 10_000 },
      { batchRows: 211, batchBytes: 9000 },
      { batchRows: 3, limit: 30 },
    ]) {
      const output = join(folder, `out-${outputs.length}.csv`);
      const { client } = await connect(t, {
        concurrency: 4,
        behave({ number, response, request, defaultResponse }) {
          if (number === 2) send(response, 503, {});
          else if (number === 3) request.socket.destroy();
          else if (number === 4)
            send(response, 200, { ...defaultResponse, predictions: defaultResponse.predictions.slice(1) });
          else return false;
          return true;
        },
      });
      await score(job({ input: personas, output, ...options }), client);
      outputs.push(await readFile(output, 'utf8'));
    }
    const [whole = '', cut, beginning = ''] = outputs;
    assert.equal(cut, whole);
    assert.ok(whole.startsWith(beginning) && beginning.length > 500);
  });

  it('keeps as many requests in flight as it may', { timeout: 120_000 }, async t => {
    const { input, output } = await filesWith(t, rowsOf(120));
    const held: (() => void)[] = [];
    const { client } = await connect(t, {
      concurrency: 60,
      // No response is sent until 60 requests have arrived.
      behave: ({ number }) =>
        new Promise(resolve => {
          held.push(() => resolve(false));
          if (number >= 60) for (const respond of held.splice(0)) respond();
        }),
    });
    const scored = await score(job({ input, output, batchRows: 1 }), client);
    assert.equal(scored?.rowCounts.scored, 120);
  });

  it('that cannot start writes nothing and requests no predictions', async t => {
    const { folder, input, output } = await filesWith(t, rowsOf(10));
    await writeFile(join(folder, 'empty.csv'), '');
    const { client, stub } = await connect(t, { report: { columns: [{ name: 'id' }, { name: 'gone' }] } });
    for (const [options, code] of [
      [{}, 'missing_columns'],
      [{ features: ['nope'] }, 'missing_columns'],
      [{ excludeFeatures: ['nope'] }, 'missing_columns'],
      [{ input: join(folder, 'empty.csv') }, 'empty_input'],
      [{ input: join(folder, 'none.csv') }, 'no_such_file'],
      [{ classes: ['x'], prefix: 'i', features: ['id'], output: input }, 'output_is_input'],
      [{ delimiter: 'x' }, 'bad_dialect'],
    ] as const) {
      const failure = await failureOf(score(job({ input, output, ...options }), client));
      assert.deepEqual([failure.code, failure.severity], [code, 'refused']);
    }
    assert.deepEqual((await readdir(folder)).sort(), ['empty.csv', 'in.csv']);
    assert.equal(await readFile(input, 'utf8'), rowsOf(10));
    assert.equal(stub.bodies.length, 0);
  });
});

describe('a run that fails', { concurrency: true }, () => {
  const refuseThird = ({ number, response }: StubCall): boolean => {
    if (number === 3) send(response, 401, { code: 'unauthorized', detail: 'no' });
    return number === 3;
  };

  it('leaves the previous output unchanged, saves a checkpoint, and reports where it stopped', async t => {
    for (const [rows, place, code] of [
      [rowsOf(100), { line: 22, row: 21 }, 'unauthorized'],
      [rowsOf(100).replace(',row 34', ',"row 34'), { line: 36, row: 35 }, 'unclosed_quote'],
    ] as const) {
      const { folder, input, output } = await filesWith(t, rows);
      await writeFile(output, 'former\n');
      const { client } = await connect(t, {
        concurrency: 1,
        ...(code === 'unauthorized' && { behave: refuseThird }),
      });
      const options = job({ input, output, batchRows: 10 });
      let next = 0;
      const suspended = ({ row }: { row: number }): void => {
        next = row;
      };
      const failure = await failureOf(score(options, client, { suspended }));
      const { request, ...where } = failure.location;
      assert.deepEqual([failure.code, failure.severity, where], [code, 'stopped', { file: input, ...place }]);
      assert.equal(request?.includes('/user/batch-persona') ?? false, code === 'unauthorized');
      const left = ['in.csv', 'out.csv', 'out.csv.checkpoint', 'out.csv.partial'];
      assert.deepEqual((await readdir(folder)).sort(), left);
      assert.equal(await readFile(output, 'utf8'), 'former\n');
      assert.ok(next > 10 && next <= place.row, `kept up to ${next}`);
    }
  });

  it('sends no further request', async t => {
    const { input, output } = await filesWith(t, rowsOf(1000));
    const { client, stub } = await connect(t, { behave: refuseThird, concurrency: 1 });
    await failureOf(score(job({ input, output, batchRows: 10 }), client));
    const begun = stub.bodies.length;
    for (let calls = 0; calls < 5; calls++) await client.describe('r'); // gives others time to start
    assert.ok(stub.bodies.length <= begun + 1, 'one may have been in flight');
  });
});

describe('a run through pipes', () => {
  it('returns a row before the next one arrives', async t => {
    const folder = await newFolder(t);
    const [input, output] = await Promise.all([makeFifo(join(folder, 'in')), makeFifo(join(folder, 'out'))]);
    const { client } = await connect(t);
    const writer = createWriteStream(input);
    const reader = spawn('cat', [output], { stdio: ['ignore', 'pipe', 'inherit'] });
    const run = score(job({ input, output }), client);
    let whole = '';
    let sent = 'a,b\n';
    writer.write(sent);
    for (const record of ['1,2\n', '3,"4\n"\n', '5,6']) {
      writer.write(record);
      if (!record.endsWith('\n')) writer.end();
      sent += record;
      const { a, b } = { a: Number(record[0]), b: record.startsWith('3') ? '4\n' : Number(record[2]) };
      const { no, yes } = probabilitiesOf({ a, b }, classes);
      while (!whole.includes(`,${no},${yes}`)) whole += (await once(reader.stdout, 'data'))[0];
    }
    const scored = await run;
    assert.equal(scored?.rowCounts.batches, 3);
    assertScored(Buffer.from(whole), Buffer.from(sent));
    assert.deepEqual((await readdir(folder)).sort(), ['in', 'out']);
  });

  it('ends when the reader closes its end', async t => {
    const { folder, input } = await filesWith(t, rowsOf(20_000));
    const output = await makeFifo(join(folder, 'out'));
    const { client, stub } = await connect(t);
    const reader = spawn('head', ['-n', '3', output], { stdio: ['ignore', 'pipe', 'inherit'] });
    const lines = text(reader.stdout);
    await assert.rejects(score(job({ input, output, batchRows: 100 }), client), ClosedPipe);
    assert.equal((await lines).split('\n').length, 4);
    assert.ok(stub.bodies.length < 200, `${stub.bodies.length} calls`);
  });
});
