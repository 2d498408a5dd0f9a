import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { httpScorer } from '../../src/client/scorer/http-scorer.ts';
import { ofKind } from '../../src/formats/appended.ts';
import type { Batch } from '../../src/formats/records/batch.ts';
import type { Outcome, PartRequest, Scorer } from '../../src/scoring/scorer.ts';
import { newFolder } from '../support/folder.ts';
import { job } from '../support/scoring/job.ts';
import { openText } from '../support/scoring/opened.ts';
import { score } from '../support/scoring/score.ts';
import { assertScored } from '../support/scoring/scored.ts';
import { connect } from '../support/stub/connect.ts';
import { send } from '../support/stub/service.ts';

const text = `id,text\n${Array.from({ length: 50 }, (_, row) => `${row},row ${row}\n`).join('')}short\n50,last\n`;
const classes = ['no', 'yes'];

/** Passes every request and result through structured cloning, as a scorer in another thread would. */
function throughClones(scorer: Scorer): Scorer {
  return {
    ...scorer,
    open(input) {
      const opened = scorer.open(input);
      const parts = new Map<number, Batch>();
      return {
        get concurrency() {
          return opened.concurrency;
        },
        batchRows: opened.batchRows,
        retryPolicy: opened.retryPolicy,
        rowOverhead: opened.rowOverhead,
        maxBatchBytes: () => opened.maxBatchBytes(),
        *parts(batch) {
          for (const part of opened.parts(batch)) {
            parts.set(part.start.offset, part);
            yield part;
          }
        },
        memoryOf: part => opened.memoryOf(part),
        release: part => opened.release(part),
        confirm: (predictions, row) => opened.confirm(predictions, row),
        confirmAll: () => opened.confirmAll(),
        async tryPart(request, signal) {
          const { batch, ...others }: PartRequest = structuredClone(request);
          const part = parts.get(batch.start.offset);
          assert.ok(part);
          const { kinds, ends } = part;
          assert.deepEqual([...batch.bytes], [...part.bytes]);
          assert.deepEqual([batch.ends, batch.kinds], [ends, kinds]);
          return structuredClone(await opened.tryPart({ ...others, batch: part }, signal));
        },
      };
    },
  };
}

describe('an attempt over HTTP', { concurrency: true }, () => {
  it('returns the faults of malformed records and the predictions of all others', async t => {
    const { client } = await connect(t);
    const { parts, opened } = openText(httpScorer(client), text);
    const [batch] = parts;
    assert.ok(batch && parts.length === 1);
    const attempt = await opened.tryPart({ batch, predictionType: undefined }, new AbortController().signal);
    assert.ok('predictions' in attempt);
    assert.deepEqual([...attempt.faults.keys()], [50]);
    const predictions = ofKind(attempt.predictions, 'distribution');
    assert.deepEqual(predictions.classes, classes);
    assert.equal(predictions.probabilities.length, 51 * 2);
    assert.deepEqual(structuredClone(attempt), attempt);
  });

  it('returns a failure as plain data, and is not repeated', async t => {
    const { client, stub } = await connect(t, {
      behave({ response }) {
        send(response, 503, { code: 'busy', detail: 'Later.' }, { 'retry-after': '7' });
        return true;
      },
    });
    const { parts, opened } = openText(httpScorer(client), text);
    const [batch] = parts;
    assert.ok(batch);
    const attempt: Outcome = await opened.tryPart(
      { batch, predictionType: { kind: 'distribution', classes } },
      new AbortController().signal,
    );
    assert.ok('failure' in attempt);
    const { kind, code, status, retryAfter, message } = attempt.failure;
    assert.deepEqual([kind, code, status, retryAfter], ['busy', 'busy', 503, 7]);
    assert.match(message, /Later/);
    assert.deepEqual(structuredClone(attempt), attempt);
    assert.equal(stub.bodies.length, 1);
  });
});

it('a run is the same with a scorer behind structured cloning: retries, halves and rejects included', async t => {
  const folder = await newFolder(t);
  const [input, output] = [join(folder, 'in.csv'), join(folder, 'out.csv')];
  await writeFile(input, text);
  const { client } = await connect(t, {
    concurrency: 4,
    report: { classes },
    behave({ number, body, response }) {
      const isBad = body.personas.some(({ features }) => features.id === 17);
      if (isBad) send(response, 422, { code: 'bad_row' });
      else if (number % 3 === 0) send(response, 500, {});
      else return false;
      return true;
    },
  });
  const options = job({ input, output, batchRows: 10 });
  const scored = await score(options, throughClones(httpScorer(client)));
  assert.deepEqual(scored?.rowCounts.rejectedBy, { bad_row: 1, too_few_fields: 1 });
  const rows = (await readFile(output, 'utf8')).split('\n').filter(row => !row.startsWith('17,'));
  const sent = text.split('\n').filter(row => row !== 'short' && !row.startsWith('17,'));
  assertScored(Buffer.from(rows.join('\n')), Buffer.from(sent.join('\n')));
});
