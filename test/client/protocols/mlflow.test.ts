import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { scoreDefaults } from '../../../src/base/options/values/run-values.ts';
import type { Protocol } from '../../../src/client/protocols/protocol.ts';
import { protocolOf } from '../../../src/client/protocols/protocols.ts';
import { reportProtocol } from '../../../src/client/protocols/report/report-protocol.ts';
import { ServiceClient } from '../../../src/client/service-client.ts';
import { verifyOutput } from '../../../src/runs/verify/verify.ts';
import { newFolder } from '../../support/folder.ts';
import { mlflow as dialect } from '../../support/protocols/dialects.ts';
import type { Behave, ModelCall } from '../../support/protocols/model-server.ts';
import {
  assertComplete,
  scoreRows,
  scoreWith,
  within,
  withShortWaits,
} from '../../support/protocols/scored-by.ts';
import { key } from '../../support/secrets.ts';
import { probabilitiesOf } from '../../support/stub/service.ts';
import { startWire, textResponse } from '../../support/stub/wire.ts';

const mlflow = protocolOf('mlflow');
const lists = { protocol: mlflow, dialect: dialect() };
const change = within(['predictions']);
const refusal = (error_code: string, message: string): string => JSON.stringify({ error_code, message });

/** A text for a request with the row 123, unless it is one of the first. */
const has123 =
  (text: string) =>
  ({ rows, number }: ModelCall): string | undefined =>
    number < 3 || !rows.some(({ id }) => id === 123) ? undefined : text;

/** Responds itself where a text is returned, with that. */
const responding =
  (textOf: (call: ModelCall) => string | undefined, status = 200): Behave =>
  call => {
    const text = textOf(call);
    if (text !== undefined) call.response.writeHead(status).end(text);
    return text !== undefined;
  };

describe('a run with another protocol', { concurrency: 2 }, () => {
  withShortWaits();

  for (const [returns, texts] of [
    ['labels', { no: '"no, ""never"""', yes: 'yes' }],
    ['numbers', undefined],
  ] as const)
    it(`appends the ${returns} that a model returns, rejects the rows without one, and can be verified`, async t => {
      const folder = await newFolder(t);
      const behave = responding(({ rows, usual }) => {
        const at = rows.findIndex(({ id }) => id === 120);
        return at < 0 ? undefined : change(usual, list => list.with(at, null));
      });
      const spoken = { protocol: mlflow, dialect: dialect(returns) };
      const outcome = await scoreWith(t, spoken, behave, { folder, classes: undefined });
      assert.equal(outcome.failure, undefined);
      const kind = returns === 'labels' ? 'label' : 'numbers';
      assert.equal(outcome.summary?.prediction?.kind, kind);
      assert.deepEqual(outcome.result?.rowCounts.rejectedBy, { wrong_prediction: 1 });
      assert.deepEqual(outcome.retries, {});
      const output = outcome.output.toString();
      assert.ok(output.startsWith('id,text,"amount",prediction\n'));
      let checked = 0;
      for (const { rows, usual } of outcome.calls)
        for (const [at, { id, text, amount }] of rows.entries()) {
          if (id === 120 || text !== `text ${id}`) continue;
          const predictions = JSON.parse(usual).predictions;
          const label = predictions[at] === 'yes' ? texts?.yes : texts?.no;
          assert.ok(output.includes(`\n${id},${text},${amount},${label ?? predictions[at]}\n`), `row ${id}`);
          checked++;
        }
      assert.ok(checked > 200, `${checked}`);
      const files = { input: join(folder, 'in.csv'), output: join(folder, 'out.csv') };
      const { maxRecordBytes } = scoreDefaults;
      assert.equal((await verifyOutput({ ...files, kind, maxRecordBytes })).scored, 299);
    });

  it('stops at a response with labels after one with numbers', async t => {
    const asTexts = ({ number, usual }: ModelCall) =>
      number < 3 ? undefined : change(usual, list => list.map(String));
    const spoken = { protocol: mlflow, dialect: dialect('numbers') };
    const { failure } = await scoreWith(t, spoken, responding(asTexts), {
      classes: undefined,
      client: { concurrency: 1 },
    });
    assert.equal(failure?.code, 'wrong_answer');
    assert.match(failure.message, /^prediction 1 is text, but a number is expected$/);
  });

  it('sends its own path, headers and body', async t => {
    const { calls } = await scoreWith(t, lists, undefined, { batchRows: 4, limit: 4 });
    const [{ request, body }, ...more] = calls as [ModelCall, ...ModelCall[]];
    assert.equal(more.length, 0);
    const { authorization, accept } = request.headers;
    assert.deepEqual(
      [request.method, request.url, authorization, request.headers['content-type'], accept],
      ['POST', '/invocations', `Bearer ${key}`, 'application/json', 'application/json'],
    );
    const data = '[0,"text 0",0],[1,"text 1",0.125],[2,"text 2",0.25],[3,"a \\"b\\"\\n3",null]';
    assert.equal(body, `{"dataframe_split":{"columns":["id","text","amount"],"data":[${data}]}}`);
  });

  it('refuses what its layout cannot express before it sends or writes anything', async t => {
    const folder = await newFolder(t);
    const { failure, calls } = await scoreWith(t, lists, undefined, { folder, missing: 'omit' });
    assert.deepEqual([failure?.code, failure?.exitCode], ['bad_option', 2]);
    assert.match(failure?.message ?? '', /--missing omit is not possible where rows are sent as lists/);
    assert.equal(calls.length, 0);
    assert.deepEqual(await readdir(folder), ['in.csv']);
  });

  it('isolates a row that the server refuses, with the server’s own code and message', async t => {
    const text = refusal('BAD_REQUEST', 'Failed to convert column text to type double');
    const outcome = await scoreWith(t, lists, responding(has123(text), 400));
    assert.equal(outcome.failure, undefined);
    assert.deepEqual(outcome.result?.rowCounts.rejectedBy, { bad_request: 1 });
    assert.match(
      outcome.rejects,
      /,bad_request,.*Failed to convert column text to type double.*,123,text 123/,
    );
  });

  it('stops with the server’s message, and does not show the key', async t => {
    const { failure } = await scoreWith(t, lists, undefined, {
      client: { key: 'another-key-than-the-server-has' },
    });
    assert.deepEqual([failure?.code, failure?.exitCode], ['bad_request', 2]);
    assert.match(failure?.message ?? '', /responded with 401: who is it\?$/);
    const echo = ({ request }: ModelCall) =>
      refusal('PERMISSION_DENIED', `no access with ${request.headers.authorization}`);
    const echoed = await scoreWith(t, lists, responding(echo, 403));
    assert.equal(echoed.failure?.message, 'the service responded with 403');
  });

  it('treats a status as the protocol says: a container of SageMaker responds to a bad row with 503', async t => {
    const statuses = { rejected_request: [503] };
    const behave = responding(has123('{"code": 503, "message": "Prediction failed"}'), 503);
    const outcome = await scoreWith(t, { ...lists, protocol: { ...mlflow, statuses } }, behave);
    assert.deepEqual(outcome.result?.rowCounts.rejectedBy, { http_503: 1 });
    assert.deepEqual(outcome.retries, {});
  });

  it('needs neither a description of the model nor a way to ask whether the server is ready', async t => {
    const { ready, ...silent } = mlflow;
    assert.ok(ready);
    const outcome = await scoreWith(t, { ...lists, protocol: silent });
    assertComplete(outcome);
    assert.equal(outcome.summary?.protocol, 'mlflow');
  });
});

describe('the last check of a run with another protocol', { concurrency: 2 }, () => {
  const answers = {
    description: textResponse('\n'),
    predictions(body: string): string {
      const rows = lists.dialect.rowsOf(body, { headers: {} });
      const probabilities = rows.map(row => probabilitiesOf(row, ['no', 'yes']));
      return textResponse(String(lists.dialect.respond(probabilities, body)));
    },
  };

  async function scoreShifted(t: TestContext, protocol: Protocol, isShifted: boolean) {
    const previous = new Map<number, string>();
    const url = await startWire(
      t,
      ({ number, connection, response, write }) => {
        const shifted = previous.get(connection);
        previous.set(connection, response);
        if (!isShifted || connection > 1 || number < 4) write(response);
        else write(shifted ?? response);
      },
      answers,
    );
    const client = new ServiceClient({ url: new URL(url), key, name: 'wire', concurrency: 1, protocol });
    t.after(() => client.close());
    const folder = await newFolder(t);
    const outcome = await scoreRows(folder, client);
    return { ...outcome, files: await readdir(folder) };
  }

  it('finds that each request got the response to the one before it, and keeps nothing', async t => {
    const { failure, files } = await scoreShifted(t, mlflow, true);
    assert.equal(failure?.code, 'mixed_up_responses');
    assert.deepEqual(files, ['in.csv']);
  });

  it('finds nothing if all responses were in order', async t => {
    assertComplete(await scoreShifted(t, mlflow, false));
  });
});

describe('what a response answers', () => {
  it('is recognized by the protocol', () => {
    const kinds = (protocol: Protocol, ...bodies: string[]): (string | undefined)[] =>
      bodies.map(body => protocol.kindOf(Buffer.from(body)));
    assert.deepEqual(kinds(mlflow, '\n', '{"predictions":[[0.5,0.5]]}', '{}'), [
      'description',
      'predictions',
      'description',
    ]);
    const report = '{"tech_specs":{},"drivers":[]}';
    assert.deepEqual(kinds(reportProtocol(), report, '{"predictions":[]}', '{}'), [
      'description',
      'predictions',
      undefined,
    ]);
  });
});
