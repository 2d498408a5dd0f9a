import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ProtocolName } from '../../../src/base/contract/protocol-names.ts';
import type { CustomProtocol } from '../../../src/client/protocols/described/custom-shape.ts';
import { protocolOf } from '../../../src/client/protocols/protocols.ts';
import { newFolder } from '../../support/folder.ts';
import * as dialects from '../../support/protocols/dialects.ts';
import type { Behave, Dialect } from '../../support/protocols/model-server.ts';
import {
  assertComplete,
  type Outcome,
  type Spoken,
  scoreWith as scoreUntyped,
  within,
  withShortWaits,
} from '../../support/protocols/scored-by.ts';
import { slow } from '../../support/slow.ts';

const custom: CustomProtocol = {
  request: {
    path: '/score',
    query: { v: '2' },
    layout: 'arrays',
    body: { columns: '$columns', data: '$rows' },
  },
  response: { rows: '/result/predictions', row: { probabilities: '/proba' }, classes: '/result/classes' },
  errors: { message: '/detail' },
  ready: '/readyz',
};

interface Served extends Spoken {
  /** Replaces the predictions of a usual response. */
  change(usual: string, change: (predictions: unknown[]) => unknown[]): string;
}

/** A server for each protocol but that of the report API, which the stub speaks. */
const servers: Record<Exclude<ProtocolName, 'report'>, [dialect: Dialect, change: Served['change']]> = {
  mlflow: [dialects.mlflow(), within(['predictions'])],
  azureml: [dialects.azureml, within([])],
  'kserve-v1': [dialects.kserveV1, within(['predictions'])],
  datarobot: [dialects.datarobot, within(['data'])],
  sagemaker: [dialects.sagemaker, within(['predictions'])],
  'sagemaker-jsonlines': [
    dialects.sagemakerJsonLines,
    (usual, change) => {
      const predictions = usual.trimEnd().split('\n');
      const changed = change(predictions.map(line => JSON.parse(line)));
      return changed.map(prediction => `${JSON.stringify(prediction)}\n`).join('');
    },
  ],
  'open-inference': [dialects.openInference, within(['outputs', '0', 'data'])],
  custom: [dialects.own, within(['result', 'predictions'])],
};
const served = Object.fromEntries(
  Object.entries(servers).map(([name, [dialect, change]]): [string, Served] => {
    const protocol = protocolOf(name as ProtocolName, name === 'custom' ? { custom } : {});
    return [name, { protocol, dialect, change }];
  }),
) as Record<keyof typeof servers, Served>;

const types = { id: 'integer', text: 'text', amount: 'float' };

/** Scores with types, which a tensor needs. */
const scoreWith: typeof scoreUntyped = (t, server, behave, values) =>
  scoreUntyped(t, server, behave, { types, ...values });

/** Responds to the first request with something else. */
const firstWith =
  (bodyOf: (usual: string) => string): Behave =>
  ({ number, response, usual }) => {
    if (number > 1) return false;
    response.end(bodyOf(usual));
    return true;
  };

/** Asserts that all rows were scored after these retries. */
function assertRetried(outcome: Outcome, retries: Outcome['retries']): void {
  assertComplete(outcome);
  assert.deepEqual(outcome.retries, retries);
}

describe('a run with a model server', { concurrency: 3 }, () => {
  withShortWaits();

  for (const [name, server] of Object.entries(served)) {
    it(`gives each row its own probabilities with ${name}`, async t => {
      const outcome = await scoreWith(t, server);
      assertRetried(outcome, {});
    });

    // All of them take seconds, because a run watches its connections at its end.
    const itQuickly = name === 'custom' ? it : slow;
    itQuickly(
      `merges no response with another number of predictions, or an error in their place, with ${name}`,
      async t => {
        const wrong = [
          (usual: string) => server.change(usual, list => list.slice(1)),
          (usual: string) => server.change(usual, list => [...list, ...list.slice(0, 1)]),
          () => JSON.stringify(server.dialect.error('out of memory')),
          () => 'upstream error',
        ];
        for (const bodyOf of wrong) {
          const outcome = await scoreWith(t, server, firstWith(bodyOf), { batchRows: 100 });
          assertRetried(outcome, { wrong_answer: 1 });
        }
      },
    );

    itQuickly(`rejects only the row whose prediction has the bare token NaN with ${name}`, async t => {
      const outcome = await scoreWith(t, server, ({ rows, response, usual }) => {
        const at = rows.findIndex(({ id }) => id === 120);
        if (at < 0) return false;
        const changed = server.change(usual, list =>
          list.length > rows.length ? list.with(2 * at, 'X') : list.with(at, withX(list[at])),
        );
        response.end(changed.replace('"X"', 'NaN'));
        return true;
      });
      assert.equal(outcome.failure, undefined);
      assert.deepEqual(outcome.result?.rowCounts.rejectedBy, { wrong_probabilities: 1 });
      assert.deepEqual(outcome.retries, {});
    });
  }

  for (const name of ['sagemaker', 'sagemaker-jsonlines', 'datarobot'] as const)
    it(`takes no page, and no JSON with something behind it, for the label of its only row with ${name}`, async t => {
      const server = served[name];
      // Without classes, as far as the stub names them, any text could be a label.
      const classes = name === 'sagemaker' ? ['no', 'yes'] : undefined;
      for (const bodyOf of [() => '<html>Sign in</html>', (usual: string) => `${usual.trimEnd()} and more`]) {
        const outcome = await scoreWith(t, server, firstWith(bodyOf), { limit: 1, classes });
        assert.equal(outcome.failure, undefined);
        assert.deepEqual(outcome.retries, { wrong_answer: 1 });
        assert.equal(outcome.result?.rowCounts.scored, 1);
      }
    });

  it('goes on where it was stopped, with the same bytes, and not by another protocol', async t => {
    const folder = await newFolder(t);
    const { custom, 'kserve-v1': kserve } = served;
    const stop: Behave = ({ number, response }) => {
      if (number < 4) return false;
      response.writeHead(404).end('{"detail":"it is gone"}');
      return true;
    };
    const half = await scoreWith(t, custom, stop, { folder });
    assert.match(half.failure?.message ?? '', /responded with 404: it is gone$/);
    const other = await scoreWith(t, kserve, undefined, { folder });
    assert.match(other.failure?.message ?? '', /the protocol was custom, now it is kserve-v1/);
    const rest = await scoreWith(t, custom, undefined, { folder });
    assertComplete(rest);
    assert.ok((rest.result?.resumedFrom ?? 0) > 1);
  });

  it('takes the classes that a response lists, in whatever order, without --classes', async t => {
    const { custom } = served;
    assertComplete(await scoreWith(t, custom, undefined, { classes: undefined }));
    const { datarobot } = served;
    assertComplete(await scoreWith(t, datarobot, undefined, { classes: undefined }));
    const objects = { ...served.mlflow, dialect: dialects.mlflow('objects') };
    assertComplete(await scoreWith(t, objects, undefined, { classes: undefined }));
  });

  it('reads a list that is the whole response, or a part of it', async t => {
    const server = served.azureml;
    const behave: Behave = ({ response, usual }) => {
      response.end(`{"predictions":${usual}}`);
      return true;
    };
    assertComplete(await scoreWith(t, server, behave));
  });

  it('does not guess which class a place in a list stands for', async t => {
    for (const name of ['azureml', 'kserve-v1'] as const) {
      const { failure, calls } = await scoreWith(t, served[name], undefined, {
        classes: undefined,
        batchRows: 1,
      });
      assert.match(
        failure?.message ?? '',
        /does not name the classes; name them with --classes, in its order$/,
      );
      assert.equal(failure?.exitCode, 3);
      assert.ok(calls.length < 100, `${calls.length} calls for 300 rows`);
    }
  });

  it('appends labels where a server of Open Inference is not asked for probabilities, by the name of --predict', async t => {
    const server = served['open-inference'];
    const { output, failure, calls } = await scoreWith(t, server, undefined, {
      classes: undefined,
      predict: 'churned',
    });
    assert.equal(failure, undefined);
    assert.match(output.toString(), /^id,text,"amount",predicted_churned\n0,text 0,0,(yes|no)\n/);
    assert.equal(JSON.parse(calls[0]?.body ?? '').outputs, undefined);
  });

  it('waits for a model that is not loaded yet, and rejects no row of it', async t => {
    const { 'kserve-v1': kserve } = served;
    const others = { ...kserve.dialect.others };
    const ready = '/v1/models/r';
    const loaded = others[ready] ?? '';
    const dialect = { ...kserve.dialect, others };
    others[ready] = '{"name":"r","ready":false}';
    const restart: Behave = ({ number, response }) => {
      // The model is loaded while the first requests fail.
      if (number > 4) {
        others[ready] = loaded;
        return false;
      }
      response.writeHead(404).end('{"error":"Model with name r does not exist."}');
      return true;
    };
    const outcome = await scoreWith(t, { ...kserve, dialect }, restart);
    assertComplete(outcome);
    assert.deepEqual(Object.keys(outcome.retries), ['model_not_ready']);
  });

  it('learns how many rows a request may have, and halves each batch in the same way', async t => {
    const refuseMany: Behave = ({ rows, response }) => {
      if (rows.length <= 10) return false;
      response.writeHead(400).end('{"error":"inference request batch-size must be <= 10 for \'churn\'"}');
      return true;
    };
    const outcome = await scoreWith(t, served['open-inference'], refuseMany);
    assertComplete(outcome);
    const sizes = outcome.calls.map(({ rows }) => rows.length);
    assert.ok(sizes.filter(size => size > 10).length <= 3 * 2, `${sizes}`); // those in flight at first, and their halves
    assert.deepEqual([...new Set(sizes.filter(size => size > 1 && size <= 10))].sort(), [6, 7]);
  });

  it('stops, without a request, if no value of a column fits its type in the whole first batch', async t => {
    const types = { id: 'integer', text: 'float', amount: 'float' };
    const { failure, calls } = await scoreWith(t, served['kserve-v1'], undefined, { types });
    assert.match(
      failure?.message ?? '',
      /^in each of the first 25 rows, the value of column "text" is not a number$/,
    );
    assert.equal(failure?.exitCode, 3);
    assert.equal(calls.length, 0);
  });

  it('never sends the column of --predict', async t => {
    const { calls, output, failure } = await scoreWith(t, served['kserve-v1'], undefined, {
      predict: 'amount',
    });
    assert.equal(failure, undefined);
    assert.deepEqual(Object.keys(calls[0]?.rows[0] ?? {}), ['id', 'text']);
    assert.match(output.toString(), /^id,text,"amount",probability_no,probability_yes\n/);
  });
});

describe('a run with a server of Open Inference', { concurrency: 3 }, () => {
  const server = served['open-inference'];

  it('merges no response without the id of its request', async t => {
    for (const id of ['another', undefined]) {
      const outcome = await scoreWith(
        t,
        server,
        firstWith(usual => JSON.stringify({ ...JSON.parse(usual), id })),
      );
      assertRetried(outcome, { wrong_answer: 1 });
    }
  });

  it('stops when another version of the model responds', async t => {
    const { failure } = await scoreWith(t, server, ({ number, response, usual }) => {
      if (number < 4) return false;
      response.end(JSON.stringify({ ...JSON.parse(usual), model_version: '2' }));
      return true;
    });
    assert.deepEqual([failure?.code, failure?.exitCode], ['report_changed', 3]);
  });

  it('compares the shape of an output with its values', async t => {
    const outcome = await scoreWith(
      t,
      server,
      firstWith(usual => {
        const whole = JSON.parse(usual);
        whole.outputs[0].shape = [whole.outputs[0].shape[0], 3];
        return JSON.stringify(whole);
      }),
    );
    assertRetried(outcome, { wrong_answer: 1 });
  });

  it('takes types and columns from the description of the model', async t => {
    const inputs = [
      { name: 'id', datatype: 'INT64', shape: [-1, 1] },
      { name: 'amount', datatype: 'FP64', shape: [-1, 1] },
    ];
    const others = { '/v2/models/r': JSON.stringify({ name: 'r', versions: ['3'], inputs, outputs: [] }) };
    const { calls, failure } = await scoreWith(
      t,
      { ...server, dialect: { ...server.dialect, others } },
      undefined,
      { types: undefined },
    );
    assert.equal(failure, undefined);
    const sent = JSON.parse(calls[0]?.body ?? '').inputs;
    assert.deepEqual(
      sent.map(({ name, datatype }: { name: string; datatype: string }) => [name, datatype]),
      [
        ['id', 'INT64'],
        ['amount', 'FP64'],
      ],
    );
  });

  it('sends all columns as one matrix to a model that takes them so', async t => {
    const description = (width: number): string =>
      JSON.stringify({
        name: 'r',
        inputs: [{ name: 'x', datatype: 'FP32', shape: [-1, width] }],
        outputs: [],
      });
    const matrixServer = (width: number): Served => ({
      ...server,
      dialect: {
        ...server.dialect,
        others: { '/v2/models/r': description(width) },
        rowsOf(body) {
          const [{ shape, datatype, data }] = JSON.parse(body).inputs;
          assert.deepEqual([shape[1], datatype, data.length], [2, 'FP32', 2 * shape[0]]);
          return Array.from({ length: shape[0] }, (_, row) => ({
            id: data[2 * row],
            amount: data[2 * row + 1],
          }));
        },
      },
    });
    const values = { types: undefined, features: ['id', 'amount'], classes: undefined };
    const { calls, failure, output } = await scoreWith(t, matrixServer(2), undefined, values);
    assert.equal(failure, undefined);
    assert.match(output.toString(), /^id,text,"amount",prediction\n0,text 0,0,(yes|no)\n/);
    assert.deepEqual(calls[0]?.rows[1], { id: 1, amount: 0.125 });
    const other = await scoreWith(t, matrixServer(3), undefined, values);
    assert.match(other.failure?.message ?? '', /takes 3 columns as one matrix, and 2 would be sent/);
    assert.equal(other.calls.length, 0);
  });
});

/** A prediction with the text X in place of one of its numbers. */
function withX(prediction: unknown): unknown {
  const text = JSON.stringify(prediction);
  return JSON.parse(text.replace(/\d\.\d+(e-\d+)?/, '"X"'));
}
