import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { newFolder } from '../../../support/folder.ts';
import { startCollector } from '../../../support/otlp/collector.ts';
import { exits, rowcast, spawnRowcast } from '../../../support/rowcast.ts';
import { startStub } from '../../../support/stub/service.ts';

const ROWS = 200;

describe('the trace of a run that was killed and resumed', () => {
  it('has the id of the run, and batch numbers that continue', async t => {
    const cwd = await newFolder(t, { 'in.csv': `a,b\n${'1,2\n'.repeat(ROWS)}` });
    let kill = (): void => {};
    let isHeld = true;
    const stub = await startStub(t, {
      behave({ number }) {
        // On a busy disk, the first checkpoint takes longer than twenty requests.
        if (!isHeld || number <= 20 || !existsSync(join(cwd, 'out.csv.checkpoint'))) return false;
        kill();
        return true;
      },
    });
    const collector = await startCollector(t);
    const env = {
      ...stub.env,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    };
    const args = ['score', 'in.csv', '-o', 'out.csv', '--report', 'r', '--batch-rows', '1'];
    const options = ['--concurrency', '1', '--checkpoint-interval', '0'];
    const child = spawnRowcast([...args, ...options, '--summary', 's.json'], { cwd, env });
    kill = () => void child.kill('SIGKILL');
    await once(child, 'exit');
    isHeld = false;
    await exits(rowcast([...args, ...options, '--summary', 's.json'], { cwd, env }), 0);
    const [root] = collector.spans.filter(({ name }) => name === 'rowcast.run');
    assert.equal(root?.attributes['rowcast.attempts'], 2);
    const from = Number(root.attributes['rowcast.resumed_from_row']);
    assert.ok(from > 1);
    const batches = collector.spans.filter(({ parentId }) => parentId === root.spanId);
    const numbered = batches.filter(({ name }) => name === 'rowcast.batch');
    assert.equal(numbered.length, ROWS - from + 1);
    for (const { attributes } of numbered)
      assert.equal(attributes['rowcast.batch.number'], attributes['rowcast.batch.first_row']);
  });
});
