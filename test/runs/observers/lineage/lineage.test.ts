import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { lineageSettings } from '../../../../src/runs/observers/lineage/lineage-settings.ts';
import { newFolder } from '../../../support/folder.ts';
import { exits, rowcast } from '../../../support/in-process.ts';
import { listen } from '../../../support/listen.ts';
import { type StubOptions, startStub } from '../../../support/stub/service.ts';

const KEY = 'lineage-key-51b0c7f2';

interface Event {
  eventType: string;
  eventTime: string;
  run: { runId: string; facets: Record<string, Record<string, unknown>> };
  job: { namespace: string; name: string };
  inputs: Dataset[];
  outputs: Dataset[];
}
interface Dataset {
  namespace: string;
  name: string;
  facets: { schema?: { fields: { name: string; type?: string }[] } };
  inputFacets?: { inputStatistics: { rowCount: number } };
  outputFacets?: { outputStatistics: { rowCount: number } };
}

async function startReceiver(
  t: TestContext,
  behave: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => response.end(),
) {
  const events: Event[] = [];
  const requests: { path: string | undefined; key: string | undefined }[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    requests.push({ path: request.url, key: request.headers.authorization });
    events.push(JSON.parse(body));
    behave(request, response);
  });
  return { url: await listen(t, server), events, requests };
}

async function bench(t: TestContext, options: StubOptions = {}) {
  const { env } = await startStub(t, options);
  const cwd = await newFolder(t, { 'in.csv': 'a,b\n1,2\n3\n4,5\n' });
  const run = (args: readonly string[], more: Record<string, string> = {}) =>
    rowcast(['score', ...args, '--report', 'r', '--summary', 's.json'], { cwd, env: { ...env, ...more } });
  const summary = async () => JSON.parse(await readFile(join(cwd, 's.json'), 'utf8'));
  const lines = async (): Promise<Event[]> =>
    (await readFile(join(cwd, 'events.jsonl'), 'utf8'))
      .split('\n')
      .filter(line => line !== '')
      .map(line => JSON.parse(line));
  return { cwd, run, summary, lines };
}

const ONE = ['in.csv', '-o', 'out.csv'];

describe('the lineage of a run', () => {
  it('is START and COMPLETE with columns and row counts, in a file and at the endpoint', async t => {
    const { cwd, run, summary, lines } = await bench(t);
    const { url, events, requests } = await startReceiver(t);
    const { stderr } = await exits(
      run([...ONE, '--lineage', 'events.jsonl', '--prediction'], {
        OPENLINEAGE_URL: url,
        OPENLINEAGE_API_KEY: KEY,
        OPENLINEAGE_NAMESPACE: 'nightly',
        OPENLINEAGE_PARENT_ID: 'airflow/dag.task/0192f3a4-0000-7000-8000-000000000001',
      }),
      1,
    );
    assert.doesNotMatch(stderr, /lineage events cannot be sent/);
    const { run_id: id, started_at: startedAt, finished_at: finishedAt } = await summary();
    assert.deepEqual(requests, Array(2).fill({ path: '/api/v1/lineage', key: `Bearer ${KEY}` }));
    for (const [start, complete] of [events, await lines()]) {
      assert.deepEqual([start?.eventType, start?.eventTime], ['START', startedAt]);
      assert.ok(complete !== undefined);
      assert.deepEqual([complete.eventType, complete.eventTime], ['COMPLETE', finishedAt]);
      assert.equal(complete.run.runId, id);
      assert.deepEqual(complete.job.namespace, 'nightly');
      assert.deepEqual(complete.job.name, 'rowcast.score.r');
      const { _producer, _schemaURL, ...parent } = complete.run.facets.parent ?? {};
      assert.deepEqual(parent, {
        run: { runId: '0192f3a4-0000-7000-8000-000000000001' },
        job: { namespace: 'airflow', name: 'dag.task' },
      });
      const [input] = complete.inputs;
      assert.deepEqual([input?.namespace, input?.name], ['file', resolve(cwd, 'in.csv')]);
      assert.deepEqual(input?.facets.schema?.fields, [{ name: 'a' }, { name: 'b' }]);
      assert.equal(input?.inputFacets?.inputStatistics.rowCount, 3);
      const [output, rejects] = complete.outputs;
      assert.deepEqual(output?.facets.schema?.fields, [
        { name: 'a' },
        { name: 'b' },
        { name: 'probability_no', type: 'number' },
        { name: 'probability_yes', type: 'number' },
        { name: 'predicted_class', type: 'string' },
      ]);
      assert.equal(output?.outputFacets?.outputStatistics.rowCount, 2);
      assert.equal(rejects?.name, resolve(cwd, 'out.csv.rejects'));
      assert.equal(rejects.outputFacets?.outputStatistics.rowCount, 1);
    }
  });

  it('is FAIL with the meaning of the code if the run fails, without what the input or the service said', async t => {
    const { cwd, run, lines } = await bench(t);
    const { url, events } = await startReceiver(t);
    const failures = [
      ['a,b\n1,2\n3,"Persephone\n', /^A quote is not closed.* \[unclosed_quote\]$/],
      ['Persephone,Persephone\n1,2\n', /\[duplicate_columns\]$/],
    ] as const;
    for (const [csv, message] of failures) {
      await writeFile(join(cwd, 'in.csv'), csv);
      const { stderr } = await run([...ONE, '--lineage', 'events.jsonl', '--restart'], {
        OPENLINEAGE_URL: url,
      });
      for (const list of [events, await lines()]) {
        const said = String(list.at(-1)?.run.facets.errorMessage?.message);
        assert.match(said, message, stderr);
        assert.doesNotMatch(said, /Persephone|in\.csv/);
      }
    }
  });

  it('is FAIL without the code if the service has chosen it', async t => {
    const { run, lines } = await bench(t, {
      behave({ response }) {
        response.writeHead(422, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ code: 'bad_persona', detail: 'Persephone is unknown' }));
        return true;
      },
    });
    const { url, events } = await startReceiver(t);
    await exits(run([...ONE, '--lineage', 'events.jsonl'], { OPENLINEAGE_URL: url }), 3);
    for (const list of [events, await lines()]) {
      assert.deepEqual(
        list.map(({ eventType }) => eventType),
        ['START', 'FAIL'],
      );
      const { message } = list[1]?.run.facets.errorMessage ?? {};
      assert.equal(message, 'The service responded with an error code of its own.');
    }
  });

  it('has the events of each of several files, and none of those that were skipped', async t => {
    const { cwd, run, lines } = await bench(t);
    await writeFile(join(cwd, 'other.csv'), 'a,b\n7,8\n');
    const { url, events } = await startReceiver(t);
    const args = ['in.csv', 'other.csv', '-o', 'scored/{name}.csv', '--lineage', 'events.jsonl'];
    await run(args, { OPENLINEAGE_URL: url });
    for (const list of [events, await lines()]) {
      assert.deepEqual(list.map(({ eventType }) => eventType).sort(), [
        ...['COMPLETE', 'COMPLETE'],
        ...['START', 'START'],
      ]);
      assert.equal(new Set(list.map(({ run: { runId } }) => runId)).size, 2);
      assert.ok(list.every(({ inputs: [input] }) => input?.facets.schema !== undefined));
    }
    events.length = 0;
    await run(args, { OPENLINEAGE_URL: url });
    assert.deepEqual([events, await lines()], [[], []]);
  });
});

describe('an endpoint for lineage that does not work', () => {
  it('is one warning, and does not fail the run', async t => {
    const { run } = await bench(t);
    const { url } = await startReceiver(t, (_, response) => {
      response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end();
    });
    const answers = [
      [url, /cannot be sent: the endpoint responded with 302$/gm],
      ['http://127.0.0.1:65534', /cannot be sent: connect ECONNREFUSED 127\.0\.0\.1:65534$/gm],
      ['http://lineage.example', /cannot be sent: OPENLINEAGE_API_KEY would be sent unencrypted$/gm],
    ] as const;
    for (const [address, line] of answers) {
      const { stderr } = await exits(run(ONE, { OPENLINEAGE_URL: address, OPENLINEAGE_API_KEY: KEY }), 1);
      assert.equal(stderr.match(line)?.length, 1, stderr);
      assert.equal(stderr.includes(KEY), false);
    }
  });

  it('is not sent to if its URL or key cannot be', () => {
    for (const [url, key, problem] of [
      ['ftp://host', KEY, 'OPENLINEAGE_URL is not an http or https URL'],
      ['http://u:p@127.0.0.1', KEY, 'OPENLINEAGE_URL must not contain user info'],
      ['http://127.0.0.1', `${KEY}\n${KEY}`, 'OPENLINEAGE_API_KEY has characters that a key cannot have'],
    ] as const) {
      const settings = lineageSettings({ OPENLINEAGE_URL: url, OPENLINEAGE_API_KEY: key });
      assert.deepEqual([settings.endpoint, settings.problem], [undefined, problem]);
    }
  });
});
