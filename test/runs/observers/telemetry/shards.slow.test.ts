import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { newFolder } from '../../../support/folder.ts';
import { exits, rowcast } from '../../../support/in-process.ts';
import { startCollector } from '../../../support/otlp/collector.ts';
import type { ReceivedSpan } from '../../../support/otlp/decode.ts';
import { startStub } from '../../../support/stub/service.ts';

const VALUE = 'Persephone';
const TRACE = '0af7651916cd43dd8448eb211c80319c';

/** An input of two shards, and a collector. */
async function bench(t: TestContext) {
  const stub = await startStub(t, { report: { classes: ['no', 'yes'] } });
  const collector = await startCollector(t);
  const rows = Array.from({ length: 10_000 }, (_, i) => `${i},${VALUE.repeat(12)}\n`);
  const cwd = await newFolder(t, { 'in.csv': `a,b\n${rows.join('')}` });
  const env = {
    ...stub.env,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  };
  const run = async (args: string[], more: Record<string, string> = {}): Promise<void> => {
    const { stderr } = await exits(rowcast(args, { cwd, env: { ...env, ...more } }), 0);
    assert.doesNotMatch(stderr, /telemetry_not_sent|cannot be sent/);
  };
  const named = (name: string): ReceivedSpan[] => collector.spans.filter(span => span.name === name);
  return { collector, run, named };
}

const parents = (spans: readonly ReceivedSpan[]): string[] => [...new Set(spans.map(span => span.parentId))];
const ids = (spans: readonly ReceivedSpan[]): string[] => spans.map(span => span.spanId);
const options = ['in.csv', '--report', 'r', '-o', 'out.csv', '--shard-bytes', '1MiB'];

describe('the trace of a run in shards', () => {
  it('of --workers has the shards under their workers, and these under the run', async t => {
    const { collector, run, named } = await bench(t);
    await run(['score', ...options, '--workers', '2']);
    const [root, ...others] = named('rowcast.run');
    assert.ok(root);
    assert.deepEqual(others, []);
    assert.equal(root.attributes['rowcast.rows.scored'], 10_000);
    const plan = root.attributes['rowcast.plan'];
    assert.match(String(plan), /^[0-9a-f]{64}$/);
    assert.deepEqual(parents([...named('rowcast.work'), ...named('rowcast.assemble')]), [root.spanId]);
    const shards = named('rowcast.shard');
    assert.deepEqual(shards.map(({ attributes }) => attributes['rowcast.shard']).sort(), [0, 1]);
    for (const { attributes, parentId } of shards) {
      assert.equal(attributes['rowcast.plan'], plan);
      assert.ok(ids(named('rowcast.work')).includes(parentId));
    }
    assert.deepEqual(parents(named('rowcast.batch')).sort(), ids(shards).sort());
    for (const { body } of collector.requests) assert.equal(body.includes(VALUE), false);
  });

  it('of three commands is the one in which it was planned', async t => {
    const { collector, run, named } = await bench(t);
    await run(['plan', ...options, '--shards', 'dir'], { TRACEPARENT: `00-${TRACE}-b7ad6b7169203331-01` });
    await run(['work', 'dir', '--shard', '0']);
    const labels = collector.metrics.flatMap(({ points }) => points.map(({ attributes }) => attributes));
    assert.ok(labels.some(({ shard, plan }) => Number(shard) === 0 && typeof plan === 'string'));
    await run(['work', 'dir']);
    await run(['assemble', 'dir']);
    assert.deepEqual([...new Set(collector.spans.map(({ traceId }) => traceId))], [TRACE]);
    assert.equal(named('rowcast.work').length, 2);
    assert.equal(named('rowcast.shard').length, 2);
    assert.equal(named('rowcast.run').length, 1);
  });
});
