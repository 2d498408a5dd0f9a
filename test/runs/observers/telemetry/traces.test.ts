import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { newFolder } from '../../../support/folder.ts';
import { exits, rowcast } from '../../../support/in-process.ts';
import { startCollector } from '../../../support/otlp/collector.ts';
import type { ReceivedSpan } from '../../../support/otlp/decode.ts';
import { type StubOptions, send, startStub } from '../../../support/stub/service.ts';

const VALUE = 'Persephone';

async function bench(t: TestContext, options: StubOptions = {}) {
  const parents: string[] = [];
  const stub = await startStub(t, {
    ...options,
    first(request, response) {
      const { traceparent } = request.headers;
      if (typeof traceparent === 'string') parents.push(traceparent);
      return options.first?.(request, response) ?? false;
    },
  });
  const collector = await startCollector(t);
  const cwd = await newFolder(t, { 'in.csv': `a,b\n1,${VALUE}\n2,3\n4,5\n` });
  const env = {
    ...stub.env,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  };
  const run = (args: readonly string[] = [], more: Record<string, string> = {}) =>
    rowcast(
      [
        ...['score', 'in.csv', '--report', 'r', '--summary', 's.json', ...args],
        ...(args.includes('-o') ? [] : ['-o', 'out.csv']),
      ],
      { cwd, env: { ...env, ...more } },
    );
  const summary = async () => JSON.parse(await readFile(join(cwd, 's.json'), 'utf8'));
  const named = (name: string): ReceivedSpan[] => collector.spans.filter(span => span.name === name);
  return { cwd, stub, parents, collector, run, summary, named };
}

describe('the trace of a run', () => {
  it('has a span of the run, of its batches in it, and of their requests, which the service is told', async t => {
    const { cwd, parents, stub, collector, run, summary, named } = await bench(t);
    await exits(run(['--batch-rows', '2']), 0);
    const { run_id: id, batches, calls } = await summary();
    const [root] = named('rowcast.run');
    assert.equal(root?.parentId, '');
    const [input, output] = ['in.csv', 'out.csv'].map(name => join(cwd, name));
    const said = { run_id: id, input, output, report: 'r', status: 'finished', exit_code: 0 };
    for (const [name, value] of Object.entries({ ...said, 'rows.scored': 3, batches, requests: calls }))
      assert.equal(root.attributes[`rowcast.${name}`], value, name);
    const inOrder = named('rowcast.batch').sort((one, other) => firstRow(one) - firstRow(other));
    assert.deepEqual(
      inOrder.map(span => [span.parentId, firstRow(span), span.attributes['rowcast.batch.rows']]),
      [
        [root.spanId, 1, 2],
        [root.spanId, 3, 1],
      ],
    );
    assert.deepEqual(inOrder.map(span => span.attributes['rowcast.batch.number']).sort(), [1, 2]);
    const requests = named('POST /user/batch-persona');
    const batchIds = new Set(inOrder.map(({ spanId }) => spanId));
    assert.deepEqual(new Set(requests.map(({ parentId }) => parentId)), batchIds);
    const { port, hostname } = new URL(stub.url);
    for (const span of requests) {
      assert.equal(span.kind, 3);
      assert.deepEqual(span.attributes, {
        'http.request.method': 'POST',
        'server.address': hostname,
        'server.port': Number(port),
        'url.full': `${stub.url}/user/batch-persona`,
        'url.template': '/user/batch-persona',
        'http.response.status_code': 200,
      });
      assert.ok(parents.includes(`00-${span.traceId}-${span.spanId}-01`));
    }
    const [report] = named('GET /user/report/{id}');
    assert.equal(report?.parentId, root.spanId);
    assert.equal(new Set(collector.spans.map(({ traceId }) => traceId)).size, 1);
  });

  it('has retries as events of the batch, and counts them in the requests', async t => {
    const { run, named } = await bench(t, {
      behave({ number, response }) {
        if (number === 1) send(response, 503, {});
        return number === 1;
      },
    });
    await exits(run(), 0);
    const [batch] = named('rowcast.batch');
    const [event] = batch?.events ?? [];
    assert.equal(event?.name, 'retry');
    assert.equal(event.attributes['error.type'], '503');
    assert.equal(typeof event.attributes['rowcast.retry.wait_ms'], 'number');
    const [failed, repeated] = named('POST /user/batch-persona');
    assert.equal(failed?.isError, true);
    assert.equal(failed.attributes['error.type'], '503');
    assert.equal(failed.attributes['http.response.status_code'], 503);
    assert.equal(failed.attributes['http.request.resend_count'], undefined);
    assert.equal(repeated?.isError, false);
    assert.equal(repeated.attributes['http.request.resend_count'], 1);
  });

  it('says with which code a run failed, and nothing of keys, values, or what the service said', async t => {
    const { stub, collector, run, named } = await bench(t, {
      behave({ response }) {
        send(response, 422, { code: 'bad_persona', detail: `${VALUE} is unknown` });
        return true;
      },
    });
    await exits(run(), 3);
    const [root] = named('rowcast.run');
    assert.equal(root?.isError, true);
    assert.equal(root.attributes['error.type'], 'bad_persona');
    assert.equal(root.attributes['rowcast.status'], 'stopped');
    const sent = Buffer.concat(collector.requests.map(({ body }) => body)).toString('latin1');
    for (const secret of [stub.key, VALUE]) assert.equal(sent.includes(secret), false);
  });

  it('continues the trace in which the command was started, and is left out if that is', async t => {
    const { parents, collector, run, named } = await bench(t);
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    await run([], { TRACEPARENT: `00-${traceId}-b7ad6b7169203331-01` });
    const [root] = named('rowcast.run');
    assert.equal(root?.traceId, traceId);
    assert.equal(root.parentId, 'b7ad6b7169203331');
    collector.spans.length = 0;
    await run([], { TRACEPARENT: `00-${traceId}-b7ad6b7169203331-00` });
    assert.deepEqual(collector.spans, []);
    assert.match(parents.at(-1) ?? '', new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`));
  });

  it('respects name, attributes, headers, sampler and protocol of the environment', async t => {
    const { collector, run } = await bench(t);
    await run([], {
      OTEL_SERVICE_NAME: 'nightly',
      OTEL_RESOURCE_ATTRIBUTES: 'team=crm,service.version=7',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=abc',
    });
    const [resource] = collector.resources;
    assert.equal(resource?.['service.name'], 'nightly');
    assert.equal(resource['service.version'], '7');
    assert.equal(resource.team, 'crm');
    assert.equal(collector.requests[0]?.headers['x-tenant'], 'abc');
    collector.requests.length = 0;
    await run([], { OTEL_TRACES_SAMPLER: 'always_off', OTEL_METRICS_EXPORTER: 'none' });
    assert.deepEqual(collector.requests, []);
    const { stderr } = await run([], { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' });
    assert.match(stderr, /traces or metrics cannot be sent: traces can be sent by http\/protobuf only/);
    assert.deepEqual(collector.requests, []);
  });

  it('of several files has one span for each', async t => {
    const { cwd, collector, run, named } = await bench(t);
    await writeFile(join(cwd, 'other.csv'), 'a,b\n7,8\n');
    await exits(run(['other.csv', '-o', 'scored/{name}.csv']), 0);
    const [root] = named('rowcast.runs');
    const runs = named('rowcast.run');
    assert.deepEqual(runs.map(({ attributes }) => attributes['rowcast.input']).sort(), [
      join(cwd, 'in.csv'),
      join(cwd, 'other.csv'),
    ]);
    assert.deepEqual(new Set(runs.map(({ parentId }) => parentId)), new Set([root?.spanId]));
    const batches = named('rowcast.batch').map(({ parentId }) => parentId);
    assert.deepEqual(new Set(batches), new Set(runs.map(({ spanId }) => spanId)));
    assert.equal(new Set(collector.spans.map(({ traceId }) => traceId)).size, 1);
  });
});

const firstRow = ({ attributes }: ReceivedSpan): number => Number(attributes['rowcast.batch.first_row']);
