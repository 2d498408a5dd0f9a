import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { RowcastError } from '../../../src/base/errors.ts';
import { score } from '../../../src/library/score.ts';
import type { BatchOutcome, ProgramScorer } from '../../../src/library/scorer.ts';
import { Client } from '../../../src/library/scorers/client.ts';
import { history } from '../../support/service/history.ts';
import { trainedHome } from '../../support/service/serving.ts';
import { slow } from '../../support/slow.ts';
import { bench, clientAndLocal, csv } from '../bench.ts';

/** A client of a real service, and the local reports that it serves. */
const both = async (t: TestContext) => clientAndLocal(t, await trainedHome());

const [header = [], ...rows] = history({ rows: 300, seed: 3 });
/** Records, each with its line ending. */
const csvOf = (names: readonly string[], all: readonly (readonly string[])[]): string[] =>
  [names, ...all].map(record => `${record.map(field => JSON.stringify(field)).join(',')}\n`);

const personas = Array.from({ length: 2500 }, (_, index) =>
  Object.fromEntries(header.map((name, column) => [name, rows[index % rows.length]?.[column] ?? null])),
);

describe('a Client', () => {
  slow('predicts for any number of objects, in order, as a LocalScorer does', async t => {
    const { client, local } = await both(t);
    const strange = personas.toSpliced(1700, 1, { unknown: '1' });
    const predictions = await client.batchPersona('one', strange);
    assert.deepEqual(predictions, await local.batchPersona('one', strange));
    assert.deepEqual(predictions, await client.score({ report: 'one', personas: strange }));
    assert.equal(Object.keys(predictions[1700] ?? {})[0], 'error');
    assert.deepEqual(await client.persona('one', personas[3] ?? {}), predictions[3]);
    assert.deepEqual(await client.batchPersona('one', []), []);
    assert.deepEqual((await client.report('one')).classes, (await local.report('one')).classes);
  });

  it('rejects with a RowcastError: unknown reports, wrong options, an aborted call', async t => {
    const { client } = await both(t);
    await assert.rejects(client.persona('three', {}), { code: 'no_such_report', exitCode: 2 });
    await assert.rejects(client.batchPersona('three', personas), { code: 'no_such_report' });
    await assert.rejects(
      client.testingResults('three').then(csv => csv.toArray()),
      { code: 'no_such_report' },
    );
    const signal = AbortSignal.abort(new Error('enough'));
    for (const call of [
      client.persona('one', {}, { signal }),
      client.batchPersona('one', personas, { signal }),
      client.report('one', { signal }),
      client.batchPredict('one', Readable.from([Buffer.from(csv(3))]), { signal }),
    ])
      await assert.rejects(call, { code: 'interrupted', cause: signal.reason });
    const url = 'http://127.0.0.1:1';
    const wrong: [object, string][] = [
      [{ url: 'nonsense' }, 'bad_url'],
      [{ url: 'http://example.com' }, 'insecure_url'],
      [{ key: '' }, 'no_key'],
      [{ key: undefined }, 'no_key'],
      [{ timeout: '5x' }, 'bad_option'],
      [{ timeOut: 5 }, 'bad_option'],
    ];
    for (const [options, code] of wrong)
      assert.throws(() => new Client({ url, key: 'key-of-a-test', ...options }), { code });
  });

  it('ends the stream of an aborted upload with the reason, not as a timeout', async t => {
    const { client } = await both(t);
    const stop = new AbortController();
    const [names = '', ...lines] = csvOf(header, rows);
    async function* endless() {
      yield Buffer.from(names);
      for (;;) {
        yield Buffer.from(lines.join(''));
        await nextTurn();
      }
    }
    const scored = await client.batchPredict('one', Readable.from(endless()), { signal: stop.signal });
    await assert.rejects(
      async () => {
        for await (const _ of scored) stop.abort(new Error('enough'));
      },
      { code: 'interrupted' },
    );
  });
});

describe('a scorer of the caller', () => {
  const scorerOf = (predict: (ids: unknown[]) => BatchOutcome | Promise<BatchOutcome>): ProgramScorer => ({
    name: 'mine',
    report: async () => ({ predicts: 'left', classes: ['no', 'yes'] }),
    score: async ({ personas }) => predict(personas.map(({ id }) => id)),
    async close() {},
  });
  const even = (id: unknown) => ({
    probabilities: { no: 0.25, yes: 0.75, ...(id === 'r1' && { no: 1, yes: 0 }) },
  });

  it('gets the personas that a service would get; its errors reject single rows', async t => {
    const { read, job } = await bench(t);
    const scorer = scorerOf(ids =>
      ids.map(id => (id === 'r2' ? { error: { code: 'odd', message: 'no' } } : even(id))),
    );
    const { service, rows } = await score({ ...job, scorer });
    assert.deepEqual([service, rows.scored, rows.rejected_by], ['mine', 2, { odd: 1 }]);
    const expected = 'id,amount,probability_no,probability_yes\nr0,0,0.25,0.75\nr1,1,1,0\nr2,2,,\n';
    assert.equal(await read('out.csv'), expected);
  });

  it('gives its predictions in order, whatever other members they have', async t => {
    const { read, job } = await bench(t);
    const scorer = scorerOf(ids =>
      ids.map((id, place) => ({ ...even(id), index: (place + 1) % ids.length })),
    );
    await score({ ...job, scorer });
    const expected = 'id,amount,probability_no,probability_yes\nr0,0,0.25,0.75\nr1,1,1,0\nr2,2,0.25,0.75\n';
    assert.equal(await read('out.csv'), expected);
  });

  it('is called again after a temporary error, and stops the run with any other', async t => {
    const { job } = await bench(t);
    let calls = 0;
    const flaky = scorerOf(ids => {
      if (calls++ === 0) throw new RowcastError('model_loading', 'not yet', { severity: 'temporary' });
      return ids.map(even);
    });
    const { retries } = await score({ ...job, scorer: flaky });
    assert.deepEqual(retries, { model_loading: 1 });
    const broken: [(ids: unknown[]) => BatchOutcome, string][] = [
      [() => JSON.parse('{'), 'scorer_failed'],
      [() => [], 'wrong_answer'],
      [ids => ids.map(() => ({ probabilities: { no: 2, yes: 3 } })), 'wrong_answer'],
    ];
    for (const [predict, code] of broken)
      await assert.rejects(
        score({ ...job, scorer: scorerOf(predict) }),
        (error: RowcastError) => error.code === code && error.location.request === 'score() of mine',
        code,
      );
  });

  it('that fails in its report, or gives what JSON cannot express, has failed like one that throws', async t => {
    const { job } = await bench(t);
    const cause = new Error('no connection');
    const throws = () => {
      throw cause;
    };
    const strange = () => Promise.resolve({ predicts: 'left', classes: ['no', 'yes'], rows: 1n });
    const unwritable = scorerOf(ids => ids.map(id => ({ probabilities: { no: 1n, yes: id } }) as never));
    const gone = new RowcastError('no_such_report', 'not here');
    const broken: [ProgramScorer, { code: string; cause?: Error }, string][] = [
      [{ ...scorerOf(() => []), report: throws }, { code: 'scorer_failed', cause }, 'report'],
      [{ ...scorerOf(() => []), report: strange }, { code: 'scorer_failed' }, 'report'],
      [{ ...scorerOf(() => []), report: () => Promise.reject(gone) }, { code: 'no_such_report' }, 'report'],
      [unwritable, { code: 'scorer_failed' }, 'score'],
    ];
    for (const [scorer, error, method] of broken)
      await assert.rejects(score({ ...job, scorer }), (thrown: RowcastError) => {
        assert.equal(thrown.location.request, `${method}() of mine`);
        for (const [member, value] of Object.entries(error)) assert.equal(Reflect.get(thrown, member), value);
        return thrown.exitCode === 2;
      });
  });
});
