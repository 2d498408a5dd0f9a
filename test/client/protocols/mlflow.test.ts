import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it, mock, type TestContext } from 'node:test';
import type { RowcastError } from '../../../src/base/errors.ts';
import { type RunValues, scoreDefaults } from '../../../src/base/options/values/run-values.ts';
import { describedProtocol } from '../../../src/client/protocols/described/described-protocol.ts';
import { mlflow as description } from '../../../src/client/protocols/described/descriptions.ts';
import type { Protocol } from '../../../src/client/protocols/protocol.ts';
import { connectReports } from '../../../src/client/protocols/report/report-client.ts';
import { reportProtocol } from '../../../src/client/protocols/report/report-protocol.ts';
import { ServiceClient, type ServiceClientOptions } from '../../../src/client/service-client.ts';
import type { RunResult } from '../../../src/runs/observer.ts';
import type { Summary } from '../../../src/runs/summary/summary.ts';
import { verifyOutput } from '../../../src/runs/verify/verify.ts';
import { newFolder } from '../../support/folder.ts';
import {
  connectMlflow,
  type Invocation,
  type MlflowOptions,
  predictionsOf,
  predictionsText,
  refuse,
  rowsOf,
} from '../../support/protocols/mlflow-server.ts';
import { job } from '../../support/scoring/job.ts';
import { score } from '../../support/scoring/score.ts';
import { assertScored } from '../../support/scoring/scored.ts';
import { key } from '../../support/secrets.ts';
import { startStub } from '../../support/stub/service.ts';
import { startWire, textResponse } from '../../support/stub/wire.ts';

const mlflow = describedProtocol(description);

/** Names with quotes and line breaks, empty fields, blank lines, and line endings of both kinds. */
const rows = Array.from({ length: 400 }, (_, id) =>
  id % 7 === 3 ? `${id},"a ""b""\n${id}",\r\n` : `${id},text ${id},${id / 8}\n`,
);
const input = Buffer.from(`id,text,"amount"\n${rows.join('')}`);

interface Outcome {
  invocations: Invocation[];
  output: Buffer | undefined;
  rejects: string;
  result: RunResult | undefined;
  summary: Summary | undefined;
  failure: RowcastError | undefined;
  retries: Record<string, number>;
}

type Options = MlflowOptions &
  Partial<ServiceClientOptions> & { values?: Partial<RunValues>; folder?: string };

/** Scores the rows, at most 25 in a request, with an MLflow server. */
async function scoreWith(t: TestContext, { values, ...options }: Options = {}): Promise<Outcome> {
  const folder = options.folder ?? (await newFolder(t));
  const { client, invocations } = await connectMlflow(t, { maxOutage: 600, ...options });
  const scored = await scoreRows(folder, client, values);
  return { ...scored, invocations };
}

async function scoreRows(
  folder: string,
  client: ServiceClient,
  values: Partial<RunValues> = {},
): Promise<Omit<Outcome, 'invocations'>> {
  const paths = { input: join(folder, 'in.csv'), output: join(folder, 'out.csv') };
  await writeFile(paths.input, input);
  let failure: RowcastError | undefined;
  let summary: Summary | undefined;
  const options = job({ ...paths, batchRows: 25, classes: ['no', 'yes'], ...values });
  const result = await score(options, client, {
    async ended(end) {
      summary = end;
    },
  }).catch(error => {
    failure = error;
    return undefined;
  });
  return {
    output: await readFile(paths.output).catch(() => undefined),
    rejects: await readFile(`${paths.output}.rejects`, 'utf8').catch(() => ''),
    result,
    summary,
    failure,
    retries: Object.fromEntries(client.statistics.retries),
  };
}

/** Asserts that all rows were scored, each with its own probabilities. */
function assertComplete({ failure, output }: Outcome | Omit<Outcome, 'invocations'>): void {
  assert.equal(failure, undefined);
  assertScored(output ?? Buffer.alloc(0), input);
}

/** Responds itself to the first request that it gets, and counts nothing else. */
const once =
  (respond: (invocation: Invocation) => void) =>
  (invocation: Invocation): boolean => {
    if (invocation.number > 1) return false;
    respond(invocation);
    return true;
  };

describe('a run with another protocol', { concurrency: 2 }, () => {
  // The random part of the waits between attempts, which are up to half a minute long.
  const random = Math.random;
  before(() => {
    mock.method(Math, 'random', () => random() / 50);
  });
  after(() => mock.restoreAll());

  for (const returns of ['lists', 'objects'] as const)
    it(`gives each row its own probabilities from ${returns}, and says which protocol it was`, async t => {
      const outcome = await scoreWith(t, { returns });
      assertComplete(outcome);
      assert.deepEqual(outcome.retries, {});
      assert.equal(outcome.summary?.protocol, 'mlflow');
      assert.deepEqual(outcome.invocations.flatMap(({ rows }) => rows.map(({ id }) => id)).length, 400);
    });

  for (const [returns, texts] of [
    ['labels', { no: '"no, ""never"""', yes: 'yes' }],
    ['numbers', undefined],
  ] as const)
    it(`appends the ${returns} that a model returns, rejects the rows without one, and can be verified`, async t => {
      const folder = await newFolder(t);
      const outcome = await scoreWith(t, {
        folder,
        returns,
        values: { classes: undefined },
        behave({ rows, predictions, response, number }) {
          const at = rows.findIndex(({ id }) => id === 120);
          if (at >= 0) response.end(predictionsText(predictions.with(at, null), number));
          return at >= 0;
        },
      });
      assert.equal(outcome.failure, undefined);
      const kind = returns === 'labels' ? 'label' : 'numbers';
      assert.equal(outcome.summary?.prediction?.kind, kind);
      assert.deepEqual(outcome.result?.rowCounts.rejectedBy, { wrong_prediction: 1 });
      assert.deepEqual(outcome.retries, {});
      const output = outcome.output?.toString() ?? '';
      assert.ok(output.startsWith('id,text,"amount",prediction\n'));
      let checked = 0;
      for (const { rows, predictions } of outcome.invocations)
        for (const [at, { id, text, amount }] of rows.entries()) {
          if (id === 120 || text !== `text ${id}`) continue;
          const label = predictions[at] === 'yes' ? texts?.yes : texts?.no;
          assert.ok(output.includes(`\n${id},${text},${amount},${label ?? predictions[at]}\n`), `row ${id}`);
          checked++;
        }
      assert.ok(checked > 300, `${checked}`);
      const files = { input: join(folder, 'in.csv'), output: join(folder, 'out.csv') };
      const { maxRecordBytes } = scoreDefaults;
      assert.equal((await verifyOutput({ ...files, kind, maxRecordBytes })).scored, 399);
    });

  it('stops at a response with labels after one with numbers', async t => {
    const { failure } = await scoreWith(t, {
      returns: 'numbers',
      concurrency: 1,
      values: { classes: undefined },
      behave({ number, predictions, response }) {
        if (number < 3) return false;
        response.end(JSON.stringify({ predictions: predictions.map(String) }));
        return true;
      },
    });
    assert.equal(failure?.code, 'wrong_answer');
    assert.match(failure.message, /^prediction 1 is text, but a number is expected$/);
  });

  it('takes the classes from the first response that names them', async t => {
    assertComplete(await scoreWith(t, { returns: 'objects', values: { classes: undefined } }));
    const { failure, invocations } = await scoreWith(t, { concurrency: 1, values: { classes: undefined } });
    assert.equal(failure?.code, 'wrong_answer');
    assert.match(
      failure.message,
      /the response does not name the classes; name them with --classes, in its order$/,
    );
    assert.equal(invocations.length, 3);
  });

  it('sends its own path, headers and body', async t => {
    const { invocations } = await scoreWith(t, { values: { batchRows: 4, limit: 4 } });
    const [{ request, body }, ...more] = invocations as [Invocation, ...Invocation[]];
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
    const { failure, invocations } = await scoreWith(t, { folder, values: { missing: 'omit' } });
    assert.deepEqual([failure?.code, failure?.exitCode], ['bad_option', 2]);
    assert.match(failure?.message ?? '', /--missing omit is not possible where rows are sent as lists/);
    assert.equal(invocations.length, 0);
    assert.deepEqual(await readdir(folder), ['in.csv']);
  });

  it('tries again while the server is busy', async t => {
    const outcome = await scoreWith(t, {
      behave: once(({ response }) => response.writeHead(503).end('upstream connect error')),
    });
    assertComplete(outcome);
    assert.deepEqual(outcome.retries, { http_503: 1 });
  });

  it('halves the bodies that are too large for the server, and makes later ones smaller', async t => {
    const outcome = await scoreWith(t, {
      concurrency: 1,
      values: { batchRows: 100 },
      behave({ body, response }) {
        if (body.length <= 1500) return false;
        response.writeHead(413).end();
        return true;
      },
    });
    assertComplete(outcome);
    const refused = outcome.invocations.filter(({ body }) => body.length > 1500).length;
    assert.ok(refused > 0 && refused < 8, `${refused} of ${outcome.invocations.length}`);
  });

  it('rejects a response with fewer predictions than rows, or more', async t => {
    const wrong = [(list: unknown[]) => list.slice(1), (list: unknown[]) => [...list, ...list.slice(0, 1)]];
    for (const change of wrong) {
      const outcome = await scoreWith(t, {
        behave: once(({ response, predictions }) =>
          response.end(JSON.stringify({ predictions: change(predictions) })),
        ),
      });
      assertComplete(outcome);
      assert.deepEqual(outcome.retries, { wrong_answer: 1 });
    }
    const { failure } = await scoreWith(t, {
      concurrency: 1,
      behave({ response }) {
        response.end('{"predictions":[]}');
        return true;
      },
    });
    assert.equal(failure?.message, '0 predictions came back for 25 personas');
  });

  it('stops at labels where probabilities were expected', async t => {
    const { failure } = await scoreWith(t, {
      concurrency: 1,
      behave({ response, rows }) {
        response.end(JSON.stringify({ predictions: rows.map(() => 'yes') }));
        return true;
      },
    });
    assert.equal(failure?.message, 'prediction 1 is text, but probabilities are expected');
  });

  it('isolates a row that the server refuses, with the server’s own code and message', async t => {
    const outcome = await scoreWith(t, {
      behave({ rows, response, number }) {
        if (number < 3 || !rows.some(({ id }) => id === 123)) return false;
        refuse(response, 400, 'BAD_REQUEST', 'Failed to convert column text to type double');
        return true;
      },
    });
    assert.equal(outcome.failure, undefined);
    assert.deepEqual(outcome.result?.rowCounts.rejectedBy, { bad_request: 1 });
    assert.match(
      outcome.rejects,
      /,bad_request,.*Failed to convert column text to type double.*,123,text 123/,
    );
  });

  it('rejects only the rows whose probabilities are no distribution', async t => {
    const { failure, result } = await scoreWith(t, {
      behave: ({ predictions, rows, response, number }) => {
        const at = rows.findIndex(({ id }) => id === 200);
        if (at < 0) return false;
        response.end(predictionsText(predictions.with(at, [0.75, 0.75]), number));
        return true;
      },
    });
    assert.equal(failure, undefined);
    assert.deepEqual(result?.rowCounts.rejectedBy, { wrong_probabilities: 1 });
  });

  it('stops with the server’s message, and does not show the key', async t => {
    const { failure } = await scoreWith(t, { key: 'another-key-than-the-server-has' });
    assert.deepEqual([failure?.code, failure?.exitCode], ['unauthenticated', 2]);
    assert.match(failure?.message ?? '', /responded with 401: the token is not valid$/);
    const echoed = await scoreWith(t, {
      behave({ request, response }) {
        refuse(response, 403, 'PERMISSION_DENIED', `no access with ${request.headers.authorization}`);
        return true;
      },
    });
    assert.equal(echoed.failure?.message, 'the service responded with 403');
  });

  it('treats a status as the protocol says: a container of SageMaker responds to a bad row with 503', async t => {
    const statuses = { rejected_request: [503] };
    const outcome = await scoreWith(t, {
      protocol: { ...mlflow, statuses },
      behave({ rows, response, number }) {
        if (number < 3 || !rows.some(({ id }) => id === 123)) return false;
        response.writeHead(503).end('{"code": 503, "message": "Prediction failed"}');
        return true;
      },
    });
    assert.deepEqual(outcome.result?.rowCounts.rejectedBy, { http_503: 1 });
    assert.deepEqual(outcome.retries, {});
  });

  it('needs neither a description of the model nor a way to ask whether the server is ready', async t => {
    const { ready, ...silent } = mlflow;
    assert.ok(ready);
    assertComplete(await scoreWith(t, { protocol: silent }));
  });

  it('is not resumed by a run with another protocol', async t => {
    const folder = await newFolder(t);
    const half = await scoreWith(t, {
      folder,
      concurrency: 1,
      behave({ number, response }) {
        if (number < 8) return false;
        response.writeHead(404).end();
        return true;
      },
    });
    assert.equal(half.failure?.code, 'http_404');
    const stub = await startStub(t);
    const other = connectReports({ url: new URL(stub.url), key, name: 'mlflow-server' });
    t.after(() => other.close());
    const { failure } = await scoreRows(folder, other);
    assert.equal(failure?.code, 'other_work');
    assert.match(failure.message, /the protocol was mlflow, now it is report/);

    const resumed = await scoreWith(t, { folder });
    assertComplete(resumed);
    assert.ok((resumed.summary?.resumed_from_row ?? 0) > 1);
  });
});

describe('the last check of a run with another protocol', { concurrency: 2 }, () => {
  const answers = {
    description: textResponse('\n'),
    predictions(body: string): string {
      return textResponse(predictionsText(predictionsOf(rowsOf(body) ?? [], 'lists'), body.length));
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
