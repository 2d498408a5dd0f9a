import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ofKind } from '../../src/formats/appended.ts';
import type { Batch } from '../../src/formats/records/batch.ts';
import { noPredictions } from '../../src/scoring/batch/join-predictions.ts';
import { type Flight, inFlight, memoryOfBatch, memoryOfFaults } from '../../src/scoring/in-flight.ts';
import type { Scored, ScoredBatch } from '../../src/scoring/scorer.ts';
import { encodeText } from '../support/scoring/encoded.ts';

/** Batches of one row, all of the same size. */
const { encoded } = encodeText(
  `a\n${Array.from({ length: 9 }, (_, row) => `value-${row}${'x'.repeat(9000)}\n`).join('')}`,
  { read: { batchRows: 1 } },
);
const batches = encoded.map(({ batch }) => batch);
const bodyBytes = encoded[0]?.body.length ?? 0;
const [first] = batches;
assert.ok(first);
const size = memoryOfBatch(first) + bodyBytes;

const confirm = async (scored: ScoredBatch): Promise<ScoredBatch> => scored;
const { signal: stop } = new AbortController();

/**
 * Requests whose attempts end when the test completes them, and whose bodies all have the same size.
 *
 * @param windowBytes by default, there is room for all batches
 */
function flight({ concurrency = (): number => 9, windowBytes = 1 << 20 } = {}) {
  const begun: (() => void)[] = [];
  const fail: (() => void)[] = [];
  const released: Batch[] = [];
  const sent: Awaited<ReturnType<Flight['send']>>[] = [];
  const score = (batch: Batch): Promise<Scored> =>
    new Promise((resolve, reject) => {
      const probabilities = Float64Array.of(batch.start.row);
      const predictions = { kind: 'distribution', classes: ['a'], probabilities, errors: new Map() } as const;
      begun.push(() => resolve({ faults: new Map(), predictions }));
      fail.push(() => reject(new Error(`batch ${batch.start.row}`)));
    });
  const scorer = {
    get concurrency() {
      return concurrency();
    },
    memoryOf: () => bodyBytes,
    release: (part: Batch) => void released.push(part),
  };
  const { send } = inFlight({ scorer, scoring: { score, confirm }, windowBytes, stop });
  return {
    sent,
    begun,
    fail,
    released,
    async sendAll(count = batches.length): Promise<void> {
      for (const batch of batches.slice(sent.length, sent.length + count)) sent.push(await send(batch));
    },
    /** Completes an attempt. */
    async complete(index: number): Promise<void> {
      begun[index]?.();
      await turn();
    },
    settleAt: (index: number) => (sent[index] ?? assert.fail()).settled(),
  };
}

const numberOf = ({ predictions }: Scored) => ofKind(predictions, 'distribution').probabilities[0];

describe('in-flight requests', () => {
  it('give each batch its own response, whatever the order of responses', async () => {
    const { sendAll, settleAt, begun } = flight();
    await sendAll();
    for (const complete of begun.toReversed()) complete();
    for (const index of batches.keys()) {
      const scored = await settleAt(index);
      assert.equal(scored.batch, batches[index]);
      assert.equal(numberOf(scored), index + 1);
    }
  });

  it('never exceed the concurrency, and a slow one does not block the others', async () => {
    const { sendAll, begun, complete } = flight({ concurrency: () => 2 });
    void sendAll();
    await turn();
    assert.equal(begun.length, 2);
    for (let completed = 1; completed <= 7; completed++) {
      await complete(completed); // all but the first
      assert.equal(begun.length, Math.min(9, 2 + completed));
    }
  });

  it('hold no more bytes than the window, including responses that wait for their turn', async () => {
    const { sendAll, sent, begun, settleAt } = flight({ windowBytes: 4 * size });
    const all = sendAll();
    await turn();
    assert.equal(sent.length, 4);
    for (const index of [1, 2, 3]) begun[index]?.();
    await turn();
    assert.equal(sent.length, 5, 'three released bodies make room for one batch');
    for (let count = 0; count < 9; count++) {
      await turn();
      assert.ok(sent.length <= 5 + count, 'responses that wait for their turn are counted too');
      begun[count]?.();
      await settleAt(count);
    }
    await all;
  });

  it('count the memory of malformed records and blank lines, which is many times their bytes', async () => {
    for (const { record, bytes } of [
      { record: 'x\n', bytes: 300 },
      { record: '\n', bytes: 20 },
    ]) {
      const { encoded } = encodeText(`a,b\n1,2\n${record.repeat(49_999)}`, {
        read: { batchRows: 1000, chunk: 1 << 16 },
      });
      const windowBytes = 1 << 19;
      const of = (batch: Batch) => encoded.find(one => one.batch === batch) ?? assert.fail();
      const { send } = inFlight({
        scorer: { concurrency: 9, memoryOf: batch => memoryOfFaults(of(batch).faults), release() {} },
        scoring: {
          // The attempt of the only row never ends; the other batches have no rows.
          async score(batch) {
            const { faults, personas } = of(batch);
            return personas > 0 ? new Promise(() => {}) : { faults, predictions: noPredictions };
          },
          confirm,
        },
        windowBytes,
        stop,
      });
      let records = 0;
      void (async () => {
        for (const { batch } of encoded) {
          await send(batch);
          records += batch.ends.length;
        }
      })();
      for (let turns = 0; turns < 200; turns++) await turn();
      assert.ok(
        records >= 1000 && records * bytes < windowBytes,
        `${records} × ${JSON.stringify(record)} are in memory`,
      );
    }
  });

  it('release a body only after its response', async () => {
    const { sendAll, released, complete } = flight({ concurrency: () => 3 });
    void sendAll();
    await turn();
    assert.deepEqual(released, []);
    await complete(1);
    await complete(0);
    assert.deepEqual(released, [batches[1], batches[0]]);
  });

  it('follow the concurrency when it changes', async () => {
    let concurrency = 3;
    const { sendAll, begun, complete } = flight({ concurrency: () => concurrency });
    void sendAll();
    await turn();
    assert.equal(begun.length, 3);
    concurrency = 1;
    for (const completed of [0, 1]) {
      await complete(completed);
      assert.equal(begun.length, 3);
    }
    concurrency = 4;
    await complete(2);
    assert.equal(begun.length, 7);
  });

  it('are encoded at most shortly before they can be sent', async () => {
    const { sendAll, sent, complete } = flight({ concurrency: () => 2 });
    void sendAll();
    await turn();
    assert.equal(sent.length, 4);
    await complete(0);
    assert.equal(sent.length, 5);
  });

  for (const [what, windowBytes, fitting] of [
    ['hold the batch that is awaited until its response arrives', 2 * size, 2],
    ['send a batch that is larger than the window alone', 1, 1],
  ] as const)
    it(what, async () => {
      const { sendAll, sent, settleAt, complete } = flight({ windowBytes });
      await sendAll(fitting);
      const settled = settleAt(0);
      const next = sendAll(1);
      await turn();
      assert.equal(sent.length, fitting);
      await complete(0);
      await Promise.all([settled, next]);
    });

  it('fail in input order, without an unhandled rejection before that', async () => {
    const { sendAll, settleAt, begun, fail } = flight();
    await sendAll(2);
    await turn();
    fail[1]?.();
    await turn(); // an unhandled rejection would end the process here
    begun[0]?.();
    assert.equal(numberOf(await settleAt(0)), 1);
    await assert.rejects(settleAt(1), /batch 2/);
  });
});
