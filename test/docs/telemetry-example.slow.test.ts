import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { newFolder } from '../support/folder.ts';
import { type Collector, startCollector } from '../support/otlp/collector.ts';
import type { Attributes } from '../support/otlp/decode.ts';
import { root } from '../support/root.ts';
import { exits, rowcast } from '../support/rowcast.ts';
import { send, startStub } from '../support/stub/service.ts';

const page = readFileSync(join(root, 'docs/many-files.md'), 'utf8');
const [, printed] = /<!-- what a collector gets -->\n```text\n(.*?)```/s.exec(page) ?? [];

describe('the section about OpenTelemetry', () => {
  it('shows what a collector gets of a run, except for times, ids and ports', {
    timeout: 60_000,
  }, async t => {
    const columns = ['tenure', 'contract', 'monthly'].map(name => ({ name }));
    const stub = await startStub(t, {
      report: { columns, classes: ['no', 'yes'] },
      behave({ number, response }) {
        if (number === 1) send(response, 503, {}, { 'retry-after': '0' });
        return number === 1;
      },
    });
    const collector = await startCollector(t);
    const cwd = await newFolder(t);
    await cp(join(root, 'fixtures/telecom-personas.csv'), join(cwd, 'personas.csv'));
    const args = ['score', 'personas.csv', '-o', 'scored.csv', '--report', 'churn', '--limit', '1000'];
    await exits(
      rowcast(args, {
        cwd,
        env: {
          ROWCAST_URL: stub.url,
          ROWCAST_API_KEY: stub.key,
          OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        },
      }),
      0,
    );
    const got = linesOf(collector).join('\n');
    const { port } = new URL(stub.url);
    assert.equal(`${varied(got.replaceAll(port, '8080'))}\n`, varied(printed ?? ''));
  });
});

/** The spans as a tree, with their attributes and events. */
function linesOf({ spans }: Pick<Collector, 'spans'>, parentId = '', indent = ''): string[] {
  return spans
    .filter(span => span.parentId === parentId)
    .toSorted((one, other) => order(one.attributes) - order(other.attributes))
    .flatMap(span => [
      `${indent}${span.name}`,
      ...wrapped(span.attributes, `${indent}    `),
      ...span.events.flatMap(({ name, attributes }) => [
        `${indent}  event ${name}`,
        ...wrapped(attributes, `${indent}      `),
      ]),
      ...linesOf({ spans }, span.spanId, `${indent}  `),
    ]);
}

const order = (attributes: Attributes): number =>
  Number(attributes['rowcast.batch.first_row'] ?? attributes['http.request.resend_count'] ?? 0);

const WIDTH = 110;

function wrapped(attributes: Attributes, indent: string): string[] {
  const lines: string[] = [];
  for (const [name, value] of Object.entries(attributes)) {
    const last = lines.at(-1);
    const item = `${name}=${String(value).replace(/^\/.*(?=\/(personas|scored)\.csv$)/, '/data')}`;
    if (last === undefined || last.length + item.length >= WIDTH) lines.push(`${indent}${item}`);
    else lines[lines.length - 1] = `${last} ${item}`;
  }
  return lines;
}

/** Without what is another at each run. */
const varied = (text: string): string => text.replace(/\b(rowcast\.retry\.wait_ms|run_id)=\S+/g, '$1=X');
