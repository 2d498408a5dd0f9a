// npm run bench -- protocols [BATCHES [ROUNDS]]: what it takes to write the same rows as the body of a request, in each
// layout.

import { BatchMemory } from '../../../src/base/kernel/batch-memory.ts';
import type { BodyLayout } from '../../../src/client/bodies/body-layout.ts';
import { BodyWriter } from '../../../src/client/bodies/body-writer.ts';
import { BatchLimits, encode } from '../../../src/client/bodies/encode.ts';
import { type LayoutName, layoutNames, layoutOf } from '../../../src/client/bodies/layout-of.ts';
import { reportProtocol } from '../../../src/client/protocols/report/report-protocol.ts';
import { csvLayout } from '../../../src/formats/csv/csv-layout.ts';
import type { Batch } from '../../../src/formats/records/batch.ts';
import { chooseFeatures } from '../../../src/scoring/feature-columns.ts';
import { read } from '../../support/csv/read.ts';
import { machine, median } from '../runs.ts';
import { shapes } from '../shapes.ts';

const batches = Number(process.argv[3] ?? 20);
const rounds = Number(process.argv[4] ?? 25);
const BATCH_ROWS = 1000;
const [{ header, row }] = shapes;

const text = [header, ...Array.from({ length: batches * BATCH_ROWS }, (_, at) => row(at))]
  .map(fields => fields.join(','))
  .join('\n');
const input = read(`${text}\n`, { batchRows: BATCH_ROWS, chunk: 1 << 20 });

/** Every third column has numbers, as the shape says. */
const types = Object.fromEntries(header.map((name, at) => [name, at % 3 === 0 ? 'integer' : 'text']));

/**
 * Writes all batches, and returns the microseconds of CPU per thousand rows: other work on the machine changes them
 * less.
 */
function writing(
  body: BodyLayout,
  given: Record<string, string> | undefined,
  memory: BatchMemory | undefined,
): () => { us: number; bytes: number } {
  const layout = csvLayout({ header: input.head });
  const features = chooseFeatures(layout, {}, { types: given }, 'bench.csv');
  const bodyWriter = new BodyWriter();
  const batchBody = body.open({ features, nulls: [] }, memory);
  const encodeBatch = encode({
    batchBody,
    features,
    layout,
    memory,
    bodyWriter,
    limits: new BatchLimits(Number.MAX_SAFE_INTEGER, 0),
  });
  return () => {
    let bytes = 0;
    const begun = process.cpuUsage();
    for (const batch of input.batches as readonly Batch[])
      for (const encoded of encodeBatch(batch)) {
        bytes += encoded.body.length;
        bodyWriter.release(encoded.body);
      }
    const { user, system } = process.cpuUsage(begun);
    return { us: (user + system) / batches, bytes: bytes / batches };
  };
}

const described = (layout: LayoutName): BodyLayout =>
  layoutOf({ layout, body: '$rows' }, layout.startsWith('csv') ? 'empty' : 'null');

const candidates = new Map([
  ['report', writing(reportProtocol().predict('r').body, undefined, BatchMemory.create())],
  ['report, in TypeScript', writing(reportProtocol().predict('r').body, undefined, undefined)],
  ...layoutNames
    .filter(layout => layout !== 'tensors')
    .map(
      layout =>
        [`${layout}, without types`, writing(described(layout), undefined, BatchMemory.create())] as const,
    ),
  ...layoutNames.map(
    layout => [`${layout}, with types`, writing(described(layout), types, BatchMemory.create())] as const,
  ),
]);

const taken = new Map<string, number[]>();
const sizes = new Map<string, number>();
for (let round = -5; round < rounds; round++)
  for (const [name, write] of candidates) {
    const { us, bytes } = write();
    sizes.set(name, bytes);
    if (round >= 0) taken.set(name, [...(taken.get(name) ?? []), us]);
  }

const base = median(taken.get('report') ?? []);
process.stdout.write(
  `${machine()}\n\n| layout | µs of CPU per 1,000 rows | against report | bytes |\n|---|---|---|---|\n`,
);
for (const [name, list] of taken) {
  const us = median(list);
  process.stdout.write(
    `| ${name} | ${us.toFixed(0)} | ${(us / base).toFixed(2)} | ${sizes.get(name)?.toFixed(0)} |\n`,
  );
}
