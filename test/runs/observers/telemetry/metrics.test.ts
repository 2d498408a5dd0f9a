import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { newFolder } from '../../../support/folder.ts';
import { exits, rowcast } from '../../../support/in-process.ts';
import { startCollector } from '../../../support/otlp/collector.ts';
import { startStub } from '../../../support/stub/service.ts';

describe('the metrics of a run by OTLP', () => {
  it('are those of --metrics, with the same names, units and labels, and those of the requests', async t => {
    const stub = await startStub(t);
    const collector = await startCollector(t);
    const cwd = await newFolder(t, { 'in.csv': 'a,b\n1,2\n3\n4,5\n' });
    await exits(
      rowcast(['score', 'in.csv', '-o', 'out.csv', '--report', 'r', '--metrics', 'run.prom'], {
        cwd,
        env: {
          ...stub.env,
          OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${collector.url}/v1/metrics`,
        },
      }),
      1,
    );
    assert.deepEqual(new Set(collector.requests.map(({ path }) => path)), new Set(['/v1/metrics']));

    // As the collector's exporter for Prometheus names them: the unit follows, unless the name ends with it.
    const units: Record<string, string> = { s: '_seconds', 1: '_ratio', By: '', '': '' };
    const received = collector.metrics
      .filter(({ name }) => name.startsWith('rowcast.'))
      .flatMap(({ name, unit, points }) =>
        points.map(({ attributes, value }) => {
          const labels = Object.entries(attributes).map(([label, text]) => `${label}="${text}"`);
          return `${name.replaceAll('.', '_')}${units[unit]}{${labels.sort().join(',')}} ${value}`;
        }),
      );
    const lines = (await readFile(join(cwd, 'run.prom'), 'utf8')).split('\n');
    const written = lines
      .filter(line => line.startsWith('rowcast_run_'))
      .map(line => line.replace(/\{(.*)\}/, (_, labels) => `{${labels.split(',').sort().join(',')}}`));
    assert.deepEqual(received.sort(), written.sort());

    const durations = collector.metrics.find(({ name }) => name === 'http.client.request.duration');
    assert.equal(durations?.unit, 's');
    const ofBatches = durations.points.find(({ attributes }) => attributes['http.request.method'] === 'POST');
    assert.equal(ofBatches?.value, stub.bodies.length);
  });
});
