import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ofKind } from '../../src/formats/appended.ts';
import type { Batch } from '../../src/formats/records/batch.ts';
import { noPredictions } from '../../src/scoring/batch/join-predictions.ts';
import { inFlight, memoryOfBatch, memoryOfFaults, type Sent } from '../../src/scoring/in-flight.ts';
import type { Scored } from '../../src/scoring/scorer.ts';
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

/** Attempts that end when the test completes them. */
function heldCalls(): {
  score: (part: Batch) => Promise<Scored>;
  begun: (() => void)[];
  fail: (() => void)[];
} {
  const begun: (() => void)[] = [];
  const fail: (() => void)[] = [];
  const score = (batch: Batch): Promise<Scored> =>
    new Promise((resolve, reject) => {
      const probabilities = Float64Array.of(batch.start.row);
      begun.push(() =>
        resolve({
          faults: new Map(),
          predictions: { kind: 'distribution', classes: ['a'], probabilities, errors: new Map() },
        }),
      );
      fail.push(() => reject(new Error(`batch ${batch.start.row}`)));
    });
  return { score, begun, fail };
}

/** A scorer whose request bodies all have the same size. */
function scorerOf(concurrency: () => number, release: (part: Batch) => void = () => {}) {
  return {
    get concurrency() {
      return concurrency();
    },
    memoryOf: () => bodyBytes,
    release,
  };
}

async function sendAll(send: (part: Batch) => Promise<Sent>, sent: Sent[] = []): Promise<void> {
  for (const batch of batches) sent.push(await send(batch));
}

describe('in-flight requests', () => {
  it('give each batch its own response, whatever the order of responses', async () => {
    const { score, begun } = heldCalls();
    const { send, settle } = inFlight({
      scorer: scorerOf(() => 9),
      windowBytes: 1 << 20,
      score,
    });
    const sent = [];
    for (const batch of batches) sent.push(await send(batch));
    for (const complete of begun.toReversed()) complete();
    for (const [index, each] of sent.entries()) {
      const { batch, predictions } = await settle(each);
      assert.equal(batch, batches[index]);
      assert.equal(ofKind(predictions, 'distribution').probabilities[0], index + 1);
    }
  });

  it('never exceed the concurrency, and a slow one does not block the others', async () => {
    const { score, begun } = heldCalls();
    const { send } = inFlight({ scorer: scorerOf(() => 2), windowBytes: 1 << 20, score });
    void sendAll(send);
    await turn();
    assert.equal(begun.length, 2);
    for (let completed = 1; completed <= 7; completed++) {
      begun[completed]?.(); // all but the first
      await turn();
      assert.equal(begun.length, Math.min(9, 2 + completed));
    }
  });

  it('hold no more bytes than the window, including responses that wait for their turn', async () => {
    const { score, begun } = heldCalls();
    const { send, settle } = inFlight({
      scorer: scorerOf(() => 9),
      windowBytes: 4 * size,
      score,
    });
    const sent: Sent[] = [];
    const all = sendAll(send, sent);
    await turn();
    assert.equal(sent.length, 4);
    begun[1]?.();
    begun[2]?.();
    begun[3]?.();
    await turn();
    assert.equal(sent.length, 5, 'three released bodies make room for one batch');
    for (let count = 0; count < 9; count++) {
      await turn();
      assert.ok(sent.length <= 5 + count, 'responses that wait for their turn are counted too');
      begun[count]?.();
      const next = sent[count];
      assert.ok(next);
      await settle(next);
    }
    await all;
  });

  it('count the memory of malformed records and blank lines, which is many times their bytes', async () => {
    for (const { record, bytes } of [
      { record: 'x\n', bytes: 300 },
      { record: '\n', bytes: 20 },
    ]) {
      const { encoded } = encodeText(`a,b\n1,2\n${record.repeat(99_999)}`, {
        read: { batchRows: 1000, chunk: 1 << 16 },
      });
      const windowBytes = 1 << 20;
      const of = (batch: Batch) => encoded.find(one => one.batch === batch) ?? assert.fail();
      const { send } = inFlight({
        scorer: { concurrency: 9, memoryOf: batch => memoryOfFaults(of(batch).faults), release() {} },
        windowBytes,
        // The attempt of the only row never ends; the other batches have no rows.
        score: async batch => {
          const { faults, personas } = of(batch);
          return personas > 0 ? new Promise(() => {}) : { faults, predictions: noPredictions };
        },
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
    const { score, begun } = heldCalls();
    const released: Batch[] = [];
    const scorer = scorerOf(
      () => 3,
      part => released.push(part),
    );
    const { send } = inFlight({ scorer, windowBytes: 1 << 20, score });
    void sendAll(send);
    await turn();
    assert.deepEqual(released, []);
    begun[1]?.();
    await turn();
    begun[0]?.();
    await turn();
    assert.deepEqual(released, [batches[1], batches[0]]);
  });

  it('follow the concurrency when it changes', async () => {
    const { score, begun } = heldCalls();
    let concurrency = 3;
    const { send } = inFlight({
      scorer: scorerOf(() => concurrency),
      windowBytes: 1 << 20,
      score,
    });
    void sendAll(send);
    await turn();
    assert.equal(begun.length, 3);
    concurrency = 1;
    for (const completed of [0, 1]) {
      begun[completed]?.();
      await turn();
      assert.equal(begun.length, 3);
    }
    concurrency = 4;
    begun[2]?.();
    await turn();
    assert.equal(begun.length, 7);
  });

  it('are encoded at most shortly before they can be sent', async () => {
    const { score, begun } = heldCalls();
    const { send } = inFlight({ scorer: scorerOf(() => 2), windowBytes: 1 << 20, score });
    const sent: Sent[] = [];
    void sendAll(send, sent);
    await turn();
    assert.equal(sent.length, 4);
    begun[0]?.();
    await turn();
    assert.equal(sent.length, 5);
  });

  it('hold the batch that is awaited until its response arrives', async () => {
    const { score, begun } = heldCalls();
    const { send, settle } = inFlight({
      scorer: scorerOf(() => 9),
      windowBytes: 2 * size,
      score,
    });
    const [a, b, c] = batches;
    assert.ok(a && b && c);
    const settled = settle(await send(a));
    await send(b);
    let isSent = false;
    const third = send(c).then(() => {
      isSent = true;
    });
    await turn();
    assert.equal(isSent, false);
    begun[0]?.();
    await Promise.all([settled, third]);
  });

  it('send a batch that is larger than the window alone', async () => {
    const { score, begun } = heldCalls();
    const { send, settle } = inFlight({ scorer: scorerOf(() => 9), windowBytes: 1, score });
    const [a, b] = batches;
    assert.ok(a && b);
    const sent = await send(a);
    let isSent = false;
    const second = send(b).then(() => {
      isSent = true;
    });
    await turn();
    assert.equal(isSent, false);
    begun[0]?.();
    await settle(sent);
    await second;
  });

  it('fail in input order, without an unhandled rejection before that', async () => {
    const { score, begun, fail } = heldCalls();
    const { send, settle } = inFlight({
      scorer: scorerOf(() => 9),
      windowBytes: 1 << 20,
      score,
    });
    const [a, b] = batches;
    assert.ok(a && b);
    const sent = [await send(a), await send(b)] as const;
    await turn();
    fail[1]?.();
    await turn(); // an unhandled rejection would end the process here
    begun[0]?.();
    assert.equal(ofKind((await settle(sent[0])).predictions, 'distribution').probabilities[0], 1);
    await assert.rejects(settle(sent[1]), /batch 2/);
  });
});
