import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { layoutOf } from '../../../src/client/bodies/layout-of.ts';
import { reportProtocol } from '../../../src/client/protocols/report/report-protocol.ts';
import { httpScorer } from '../../../src/client/scorer/http-scorer.ts';
import { prober } from '../../../src/scoring/batch/recovery-probe.ts';
import { openText } from '../../support/scoring/opened.ts';
import { connect } from '../../support/stub/connect.ts';

describe('a probe', () => {
  it('of a row that is not sent says nothing about the service', async t => {
    const report = reportProtocol();
    const body = layoutOf({ layout: 'objects', body: '$rows' }, 'null');
    const protocol = { ...report, predict: (id: string) => ({ ...report.predict(id), body }) };
    const { client, stub } = await connect(t, { protocol });
    for (const row of ['too,many', 'no integer']) {
      const { opened, layout, parts } = openText(httpScorer(client), `id\n${row}\n${row}\n`, {
        types: { id: 'integer' },
      });
      const [batch] = parts;
      assert.ok(batch);
      let ended = false;
      const watched = {
        concurrency: 1,
        batchRows: 1,
        rowOverhead: 0,
        retryPolicy: client.retryPolicy,
        maxBatchBytes: () => 1,
        parts: opened.parts.bind(opened),
        memoryOf: opened.memoryOf.bind(opened),
        release: opened.release.bind(opened),
        confirm: opened.confirm.bind(opened),
        confirmAll: opened.confirmAll.bind(opened),
        tryPart: (...request: Parameters<typeof opened.tryPart>) =>
          opened.tryPart(...request).finally(() => {
            ended = true;
          }),
      };
      const { signal } = new AbortController();
      const feedback = { predictionType: () => undefined };
      prober({ scorer: watched, feedback, layout, signal }).begin(batch).send(1, 1, false);
      while (!ended) await setImmediate();
      await setImmediate();
    }
    assert.equal(client.retryPolicy.availability.finished.all, 0);
    assert.equal(stub.bodies.length, 0);
  });
});
