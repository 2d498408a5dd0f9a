import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { describe, it, type TestContext } from 'node:test';
import type { RowcastError } from '../../../src/base/errors.ts';
import { layoutOf } from '../../../src/client/bodies/layout-of.ts';
import { failureTable, withStatuses } from '../../../src/client/failure-table.ts';
import { reportProtocol } from '../../../src/client/protocols/report/report-protocol.ts';
import { httpScorer } from '../../../src/client/scorer/http-scorer.ts';
import { ofKind } from '../../../src/formats/appended.ts';
import type { Batch } from '../../../src/formats/records/batch.ts';
import { ScoreBatch } from '../../../src/scoring/batch/score-batch.ts';
import type { RowFault } from '../../../src/scoring/failures/call-error.ts';
import type { BatchScorer, Scored } from '../../../src/scoring/scorer.ts';
import { openText } from '../../support/scoring/opened.ts';
import { type ConnectOptions, connect } from '../../support/stub/connect.ts';
import { probabilitiesOf, type StubCall, send } from '../../support/stub/service.ts';

const classes = ['no', 'yes'];
const rows = (count: number): string => Array.from({ length: count }, (_, id) => `${id},x\n`).join('');

interface Bench {
  parts: Batch[];
  score(part: Batch): Promise<Scored>;
  scoreFirst(): Promise<Scored>;
  scoreAll(): Promise<Scored[]>;
  /** Ids of the rows in each request, in order. */
  requests(): unknown[][];
}

interface BenchOptions extends ConnectOptions {
  batchRows?: number;
  /** Whether an earlier process of the run has scored any row. */
  hasScored?: boolean;
  /** The classes of the output's header. */
  header?: readonly string[];
  signal?: AbortSignal;
  change?: (opened: BatchScorer) => BatchScorer;
  types?: Readonly<Record<string, string>>;
}

/** Scores the batches of a CSV with a service that behaves like this. */
async function bench(
  t: TestContext,
  text: string,
  behave: (call: StubCall, ids: unknown[]) => boolean | Promise<boolean>,
  options: BenchOptions = {},
): Promise<Bench> {
  const { batchRows, hasScored = false, header, signal, change, types, ...clientOptions } = options;
  const { client, stub } = await connect(t, {
    concurrency: 4,
    ...clientOptions,
    behave: call => behave(call, idsOf(call.body)),
  });
  const { layout, opened, parts } = openText(httpScorer(client), `id,text\n${text}`, {
    ...(batchRows && { batchRows }),
    ...(types && { types }),
  });
  const scoreBatch = new ScoreBatch({
    scorer: change?.(opened) ?? opened,
    feedback: { predictionType: () => header && { kind: 'distribution', classes: header } },
    file: 'in.csv',
    layout,
    hasScored,
    signal: signal ?? new AbortController().signal,
  });
  const score = (part: Batch) => scoreBatch.score(part);
  return {
    parts,
    score,
    scoreFirst: () => score(parts[0] ?? assert.fail()),
    scoreAll: () => Promise.all(parts.map(score)),
    requests: () => stub.bodies.map(idsOf),
  };
}

const idsOf = ({ personas }: StubCall['body']): unknown[] => personas.map(({ features }) => features.id);

const refuse = ({ response }: StubCall, code = 'bad_row'): boolean => {
  send(response, 422, { code, detail: 'No.' });
  return true;
};

/** The scorer over HTTP, of which every failure is final. */
const withoutRetries = (opened: BatchScorer): BatchScorer => ({
  concurrency: opened.concurrency,
  batchRows: opened.batchRows,
  rowOverhead: opened.rowOverhead,
  maxBatchBytes: () => opened.maxBatchBytes(),
  parts: batch => opened.parts(batch),
  memoryOf: part => opened.memoryOf(part),
  tryPart: (request, signal) => opened.tryPart(request, signal),
  release: part => opened.release(part),
  confirm: (predictions, row) => opened.confirm(predictions, row),
  confirmAll: () => opened.confirmAll(),
});

/** The probabilities that the service has for a row. */
const expected = (id: number): number[] => Object.values(probabilitiesOf({ id, text: 'x' }, classes));

describe('a batch with rows that the service rejects', { concurrency: true }, () => {
  it('is halved until these rows are isolated, with at most 2·log2(n) + 1 extra requests', async t => {
    const run = await bench(t, rows(64), (call, ids) => ids.includes(41) && refuse(call));
    const { predictions } = await run.scoreFirst();
    assert.deepEqual([...predictions.errors.keys()], [41]);
    assert.equal(predictions.errors.get(41)?.code, 'bad_row');
    assert.ok(run.requests().length <= 1 + 2 * Math.log2(64) + 1, `${run.requests().length} requests`);
  });

  it('tries both halves before it splits either, and sends no row that was scored again', async t => {
    const run = await bench(t, rows(8), (call, ids) => (ids.includes(1) || ids.includes(6)) && refuse(call));
    await run.scoreFirst();
    assert.deepEqual(run.requests(), [
      [0, 1, 2, 3, 4, 5, 6, 7],
      [0, 1, 2, 3],
      [4, 5, 6, 7],
      [0, 1],
      [2, 3],
      [0],
      [1],
      [4, 5],
      [6, 7],
      [6],
      [7],
    ]);
  });

  it('gives every other row its own probabilities, and malformed records their faults', async t => {
    // The ids 2 and 5 are malformed; they are not personas, so the indexes of personas differ from those of records.
    const text = '0,x\n1,x\n2\n3,x\n4,x\n5\n6,x\n7,x\n';
    const run = await bench(t, text, (call, ids) => ids.includes(6) && refuse(call));
    const { faults, predictions } = await run.scoreFirst();
    assert.deepEqual(
      [...faults].map(([index, { code }]) => [index, code]),
      [
        [2, 'too_few_fields'],
        [5, 'too_few_fields'],
      ],
    );
    assert.deepEqual([...predictions.errors.keys()], [4]);
    const { classes: received, probabilities } = ofKind(predictions, 'distribution');
    assert.deepEqual(received, classes);
    for (const [persona, id] of [0, 1, 3, 4, 6, 7].entries())
      assert.deepEqual(
        [...probabilities.subarray(2 * persona, 2 * persona + 2)],
        id === 6 ? [Number.NaN, Number.NaN] : expected(id),
        `row ${id}`,
      );
  });

  it('stops the run if its halves come back with different classes', async t => {
    const run = await bench(t, rows(4), (call, ids) => {
      if (ids.includes(3)) return ids.length > 1 ? refuse(call) : false;
      if (!ids.includes(0)) return false;
      const predictions = ids.map(() => ({ probabilities: { other: 1 } }));
      send(call.response, 200, { id: 'r', predictions });
      return true;
    });
    await assert.rejects(run.scoreFirst(), { code: 'wrong_answer' });
  });
});

describe('a batch of which the service names the rows at fault', { concurrency: true }, () => {
  /** The scorer over HTTP, whose failures name rows. */
  const withRows = (opened: BatchScorer, rows: () => RowFault[]): BatchScorer => ({
    ...withoutRetries(opened),
    retryPolicy: opened.retryPolicy,
    async tryPart(request, signal) {
      const outcome = await opened.tryPart(request, signal);
      if (!('failure' in outcome)) return outcome;
      return { ...outcome, failure: { ...outcome.failure, rows: rows() } };
    },
  });

  /** The rows of these ids are named. */
  const naming =
    (bad: readonly number[], run: () => Bench) =>
    (opened: BatchScorer): BatchScorer =>
      withRows(opened, () => {
        const ids = run().requests().at(-1) ?? [];
        const faults = bad.map(id => ({ row: ids.indexOf(id), message: `${id} is wrong` }));
        return faults.filter(({ row }) => row >= 0);
      });

  async function benchNaming(t: TestContext, bad: readonly number[], text: string): Promise<Bench> {
    const run: Bench = await bench(
      t,
      text,
      (call, ids) => ids.some(id => bad.includes(Number(id))) && refuse(call),
      { change: naming(bad, () => run), concurrency: 1 },
    );
    return run;
  }

  it('is sent again without them; they get what the service says about each', async t => {
    // The id 2 is malformed, so the indexes of personas differ from those of records.
    const run = await benchNaming(t, [1, 5], '0,x\n1,x\n\n2\n3,x\n4,x\n5,x\n6,x\n');
    const { faults, predictions } = await run.scoreFirst();
    assert.equal(faults.size, 1);
    assert.deepEqual(
      [...predictions.errors].map(([row, { message }]) => [row, message]),
      [
        [1, '1 is wrong'],
        [4, '5 is wrong'],
      ],
    );
    assert.deepEqual(run.requests(), [[0, 1, 3, 4, 5, 6], [0], [3, 4], [6]]);
    const { probabilities } = ofKind(predictions, 'distribution');
    for (const [persona, id] of [0, 1, 3, 4, 5, 6].entries())
      assert.deepEqual(
        [...probabilities.subarray(2 * persona, 2 * persona + 2)],
        id === 1 || id === 5 ? [Number.NaN, Number.NaN] : expected(id),
      );
  });

  it('stops the run if all of them are named before any row is scored', async t => {
    const run = await benchNaming(t, [0, 1, 2, 3], rows(4));
    await assert.rejects(run.scoreFirst(), { code: 'bad_row' });
    assert.equal(run.requests().length, 1);
  });

  it('is halved if a row is named that was not sent', async t => {
    const run = await bench(t, rows(4), (call, ids) => ids.includes(2) && refuse(call), {
      change: opened => withRows(opened, () => [{ row: 4, message: '' }]),
    });
    const { predictions } = await run.scoreFirst();
    assert.deepEqual([...predictions.errors.keys()], [2]);
  });
});

/** As for a model server, which responds with 400 or 500 to a bad row, and with 504 if its model takes too long. */
const ofModelServer = withStatuses(failureTable, {
  model_rejected: [400],
  model_error: [500, 503],
  too_slow: [504],
});

describe('a model server that responds with 500 before any row is scored', { concurrency: true }, () => {
  const fail = ({ response }: StubCall, code = 'model_failed'): boolean => {
    send(response, 500, { code, detail: 'could not convert string to float' });
    return true;
  };

  it('stops the run, with few requests and its own message, if three rows fail alike', async t => {
    const options = { failureTable: ofModelServer, batchRows: 20, maxOutage: 600 };
    const run = await bench(t, rows(320), call => fail(call), options);
    await assert.rejects(
      run.scoreAll(),
      (error: RowcastError) =>
        error.code === 'model_failed' &&
        error.severity === 'stopped' &&
        /could not convert string to float/.test(error.message) &&
        /Three different rows failed alike/.test(error.hint ?? ''),
    );
    assert.ok(run.requests().length < 30, `${run.requests().length} requests`);
    assert.equal(run.requests().filter(ids => ids.length === 1).length, 3);
  });

  it('stops the run although the server closes the connection after each error', async t => {
    const options = { failureTable: ofModelServer, batchRows: 20, maxOutage: 600 };
    const run = await bench(
      t,
      rows(80),
      call => {
        call.response.on('finish', () => call.response.socket?.destroy());
        return fail(call);
      },
      options,
    );
    await assert.rejects(
      run.scoreAll(),
      (error: RowcastError) => error.code === 'model_failed' && error.severity === 'stopped',
    );
  });

  it('costs the run only the rows at fault if another one is scored', async t => {
    const options = { failureTable: ofModelServer, maxOutage: 600 };
    const run = await bench(t, rows(8), (call, ids) => ids.includes(0) && fail(call), options);
    const { predictions } = await run.scoreFirst();
    assert.deepEqual([...predictions.errors.keys()], [0]);
  });

  it('is waited for if the rows fail in different ways', async t => {
    let calls = 0;
    const options = { failureTable: ofModelServer, maxOutage: 600 };
    const run = await bench(t, rows(8), call => calls++ < 6 && fail(call, `failed_${calls}`), options);
    const { predictions } = await run.scoreFirst();
    assert.equal(predictions.errors.size, 0);
  });
});

describe('a model server that responds with 400 before any row is scored', { concurrency: true }, () => {
  const refuseRow = ({ response }: StubCall, code = 'bad_request'): boolean => {
    send(response, 400, { code, detail: 'Can not safely convert string to double' });
    return true;
  };

  it('stops the run after its first requests and three rows, if these are rejected alike', async t => {
    const run = await bench(t, rows(320), call => refuseRow(call), {
      failureTable: ofModelServer,
      batchRows: 20,
    });
    await assert.rejects(
      run.scoreAll(),
      (error: RowcastError) => error.code === 'bad_request' && /Three different rows/.test(error.hint ?? ''),
    );
    assert.equal(run.requests().length, run.parts.length + 3);
  });
});

describe('a batch that takes a model too long', { concurrency: true }, () => {
  it('is halved after two attempts, although no other request shows that the service works', async t => {
    const options = { failureTable: ofModelServer, maxOutage: 600 };
    const late = ({ response }: StubCall): boolean => {
      send(response, 504, {});
      return true;
    };
    const run = await bench(t, rows(8), (call, ids) => ids.length > 2 && late(call), options);
    const { predictions } = await run.scoreFirst();
    assert.equal(predictions.errors.size, 0);
    const sizes = run.requests().map(({ length }) => length);
    assert.deepEqual(
      sizes.filter(size => size > 1), // without the probes
      [8, 8, 2, 2, 2, 2], // half of a body that failed has room for two rows
    );
  });
});

describe('before any row is scored', { concurrency: true }, () => {
  it('a batch of which every row is rejected stops the run, with the place of its first row', async t => {
    const run = await bench(t, rows(2), call => refuse(call));
    const location = { file: 'in.csv', row: 1, line: 2 };
    await assert.rejects(run.scoreFirst(), (error: RowcastError) => {
      assert.equal(error.code, 'bad_row');
      const { file, row, line } = error.location;
      assert.deepEqual({ file, row, line }, location);
      return true;
    });
  });

  it('other failed batches wait until the first one is isolated', async t => {
    const failed = new EventEmitter();
    const run = await bench(
      t,
      rows(8),
      async (call, ids) => {
        // The second batch fails after the first one, and before the first half of that one.
        if (ids.length === 4 && ids[0] === 4) await once(failed, 'first');
        if (ids.length === 2 && ids[0] === 0) {
          failed.emit('first');
          await once(failed, 'second');
        }
        if (ids.length === 1 && ids[0] === 1) return false;
        call.response.on('finish', () => ids.length === 4 && ids[0] === 4 && failed.emit('second'));
        return refuse(call);
      },
      { batchRows: 4 },
    );
    const scored = await run.scoreAll();
    assert.deepEqual(
      scored.map(({ predictions }) => [...predictions.errors.keys()]),
      [
        [0, 2, 3],
        [0, 1, 2, 3],
      ],
    );
    const ofSecond = run.requests().map(ids => Number(ids[0]) > 3);
    const [, half = -1] = [...ofSecond.keys()].filter(index => ofSecond[index]);
    assert.ok(half > ofSecond.lastIndexOf(false), ofSecond.join());
  });

  it('three single rows that fail in the same way stop the run, with the first of them', async t => {
    const run = await bench(t, rows(3), call => refuse(call), { batchRows: 1 });
    const [one, two, three] = run.parts;
    assert.ok(one && two && three);
    assert.equal((await run.score(two)).predictions.errors.size, 1);
    assert.equal((await run.score(one)).predictions.errors.size, 1);
    await assert.rejects(run.score(three), (error: RowcastError) => error.location.row === 1);
  });

  it('three single rows that fail in different ways do not', async t => {
    const run = await bench(t, rows(3), (call, ids) => refuse(call, `bad_${ids[0]}`), { batchRows: 1 });
    for (const part of run.parts) assert.equal((await run.score(part)).predictions.errors.size, 1);
  });
});

describe('a batch of a resumed run', { concurrency: true }, () => {
  it('may have all of its rows rejected, because an earlier process scored others', async t => {
    const run = await bench(t, rows(4), call => refuse(call), { hasScored: true });
    const { predictions } = await run.scoreFirst();
    assert.deepEqual([...predictions.errors.keys()], [0, 1, 2, 3]);
  });

  it('must have the classes of the output’s header', async t => {
    const run = await bench(t, rows(4), () => false, { hasScored: true, header: ['maybe', 'no', 'yes'] });
    await assert.rejects(run.scoreFirst(), { code: 'wrong_answer' });
    assert.equal(run.requests().length, 1);
  });
});

describe('a batch', { concurrency: true }, () => {
  it('of malformed records alone is not sent', async t => {
    const run = await bench(t, '0\n1\n', () => false);
    const { faults, predictions } = await run.scoreFirst();
    assert.deepEqual([...faults.keys()], [0, 1]);
    assert.equal(predictions.errors.size, 0);
    assert.deepEqual(run.requests(), []);
  });

  it('without a row to send, because its values have the wrong types, says nothing about the service', async t => {
    let opened: BatchScorer | undefined;
    const change = (scorer: BatchScorer): BatchScorer => {
      opened = scorer;
      return scorer;
    };
    const report = reportProtocol();
    const body = layoutOf({ layout: 'objects', body: '$rows' }, 'null');
    const protocol = { ...report, predict: (id: string) => ({ ...report.predict(id), body }) };
    const options = { change, protocol, types: { id: 'integer' } };
    const run = await bench(t, 'a,x\nb,x\n', () => false, options);
    const { predictions } = await run.scoreFirst();
    assert.deepEqual(
      [...predictions.errors].map(([row, { code }]) => [row, code]),
      [
        [0, 'wrong_type'],
        [1, 'wrong_type'],
      ],
    );
    assert.deepEqual(run.requests(), []);
    assert.equal(opened?.retryPolicy?.availability.finished.all, 0);
  });

  it('is not sent after the run was stopped', async t => {
    const run = await bench(t, rows(2), () => false, { signal: AbortSignal.abort(new Error('stopped')) });
    await assert.rejects(run.scoreFirst(), { message: 'stopped' });
    assert.deepEqual(run.requests(), []);
  });

  it('is not tried again if the run is stopped during an attempt', async t => {
    const stop = new AbortController();
    const run = await bench(
      t,
      rows(2),
      ({ response }) => {
        stop.abort(new Error('stopped'));
        send(response, 503, {});
        return true;
      },
      { signal: stop.signal },
    );
    await assert.rejects(run.scoreFirst());
    assert.equal(run.requests().length, 1);
  });

  it('fails at once if its scorer has no policy for retries', async t => {
    const run = await bench(t, rows(4), call => refuse(call), { change: withoutRetries });
    await assert.rejects(run.scoreFirst(), { code: 'bad_row' });
    assert.equal(run.requests().length, 1);
  });
});
