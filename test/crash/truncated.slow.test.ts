import assert from 'node:assert/strict';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { RunValues } from '../../src/base/options/values/run-values.ts';
import { makeFifo } from '../support/fifo.ts';
import { newFolder } from '../support/folder.ts';
import { job } from '../support/scoring/job.ts';
import { score } from '../support/scoring/score.ts';
import { connect } from '../support/stub/connect.ts';
import { type StubCall, send } from '../support/stub/service.ts';

const lines = Array.from({ length: 40 }, (_, row) => `${row},"a, ${row}",note\n`);
const whole = `id,plan,note\n${lines.join('')}`;

interface Bench {
  /** Scores a pipe whose producer ends after `text`. */
  run(text: string, more?: Partial<RunValues>): Promise<unknown>;
  /** The output and its rejects. */
  output(): Promise<string[]>;
  /** Called for each request with one of the last rows. @returns whether it has responded */
  onLast: (call: StubCall) => boolean;
  /** Called for each request for the report, the second of which comes when all rows are written. */
  onReport: (count: number) => void;
  stop: AbortController;
}

async function newBench(t: TestContext): Promise<Bench> {
  const folder = await newFolder(t);
  const input = await makeFifo(join(folder, 'in'));
  const output = join(folder, 'out.csv');
  let reports = 0;
  const { client } = await connect(t, {
    report: {
      get classes() {
        bench.onReport(++reports);
        return ['no', 'yes'];
      },
    },
    behave: call =>
      call.body.personas.some(({ features }) => Number(features.id) >= 30) && bench.onLast(call),
  });
  const bench: Bench = {
    onLast: () => false,
    onReport: () => {},
    stop: new AbortController(),
    async run(text, more) {
      reports = 0;
      const options = { input, output, features: ['id'], batchRows: 10, checkpointInterval: 0, ...more };
      const running = score(job(options), client, { stop: bench.stop.signal });
      running.catch(() => {}); // awaited by the caller
      const producer = await open(input, 'w');
      await producer.writeFile(text);
      await producer.close();
      return running;
    },
    output: () =>
      Promise.all([output, `${output}.rejects`].map(path => readFile(path, 'utf8').catch(() => ''))),
  };
  return bench;
}

const last = lines.at(-1)?.length ?? 0;
/** The number of bytes that the producer does not write. */
const missing = {
  'in its last field': 3,
  'before its last field': 6,
  'in its first field': last - 1,
  'before its line feed': 1,
};

/** What ends a run with its last requests in flight. */
const ends: Record<
  string,
  { onLast(bench: Bench, call: StubCall): boolean; failure: object; more?: Partial<RunValues> }
> = {
  'is stopped': {
    onLast: ({ stop }) => {
      stop.abort('SIGTERM');
      return false;
    },
    failure: { name: 'Interrupted' },
  },
  'loses its service': {
    onLast: (_, { response }) => {
      send(response, 401, { code: 'unauthorized' });
      return true;
    },
    failure: { severity: 'stopped' },
  },
  'has too many rejects': {
    onLast: (_, { response, body, defaultResponse }) => {
      const predictions = defaultResponse.predictions.map((prediction, index) =>
        body.personas[index]?.features.id === 39 ? { error: { code: 'odd', message: 'odd' } } : prediction,
      );
      send(response, 200, { ...defaultResponse, predictions });
      return true;
    },
    failure: { code: 'too_many_rejects' },
    more: { maxRejects: { rows: 0 } },
  },
};

describe('a pipe whose producer dies in the middle of a record', () => {
  for (const [where, bytes] of Object.entries(missing))
    for (const [what, { onLast, failure, more }] of Object.entries(ends))
      it(`${where}, and a run that ${what}: with the complete pipe each row appears once and complete`, async t => {
        const bench = await newBench(t);
        await bench.run(whole, { restart: true });
        const wanted = await bench.output();
        bench.onLast = call => onLast(bench, call);
        await assert.rejects(bench.run(whole.slice(0, -bytes), more), failure);
        bench.onLast = () => false;
        bench.stop = new AbortController();
        await bench.run(whole);
        assert.deepEqual(await bench.output(), wanted);
      });

  it('does not count as a complete input if the run is stopped while it checks its last responses', async t => {
    const bench = await newBench(t);
    await bench.run(whole, { restart: true });
    const wanted = await bench.output();
    bench.onReport = count => {
      if (count === 2) bench.stop.abort('SIGTERM');
    };
    await assert.rejects(bench.run(whole.slice(0, -3), { restart: true }), { name: 'Interrupted' });
    bench.onReport = () => {};
    bench.stop = new AbortController();
    await bench.run(whole);
    assert.deepEqual(await bench.output(), wanted);
  });

  it('gives a complete run otherwise, since it looks like a file without a last line feed', async t => {
    const bench = await newBench(t);
    await bench.run(whole.slice(0, -3));
    assert.match((await bench.output())[0] ?? '', /39,"a, 39",no,[\d.]+,[\d.]+$/);
  });
});
