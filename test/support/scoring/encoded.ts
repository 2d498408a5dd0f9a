import assert from 'node:assert/strict';
import type { MissingStyle } from '../../../src/base/contract/limits.ts';
import { BatchMemory } from '../../../src/base/kernel/batch-memory.ts';
import type { BodyLayout } from '../../../src/client/bodies/body-layout.ts';
import { BodyWriter } from '../../../src/client/bodies/body-writer.ts';
import { BatchLimits, type Encoded, encode } from '../../../src/client/bodies/encode.ts';
import type { Protocol } from '../../../src/client/protocols/protocol.ts';
import { reportProtocol } from '../../../src/client/protocols/report/report-protocol.ts';
import { type CsvLayout, csvLayout } from '../../../src/formats/csv/csv-layout.ts';
import { chooseFeatures } from '../../../src/scoring/feature-columns.ts';
import { type ReadOptions, read } from '../csv/read.ts';

export interface EncodedInput {
  layout: CsvLayout;
  encoded: Encoded[];
  /** Estimated bytes of a row, without its values. */
  rowOverhead: number;
}

export interface TextOptions {
  /** How the text is cut into batches. */
  read?: ReadOptions;
  types?: Record<string, string>;
  nulls?: readonly string[];
  batchBytes?: number;
  protocol?: Protocol;
  /** How the rows are arranged; by default, as the protocol does. */
  body?: BodyLayout;
  missing?: MissingStyle;
}

/** The encoded batches of a CSV with all columns sent, which a kernel and TypeScript must encode alike. */
export function encodeText(text: string | Buffer, options: TextOptions = {}): EncodedInput {
  const input = encodeIn(undefined, text, options);
  const memory = BatchMemory.create();
  assert.ok(memory);
  const again = encodeIn(memory, text, options);
  assert.deepEqual(again.encoded.map(withoutId), input.encoded.map(withoutId));
  return input;
}

/** Each body has an id of its own. */
const withoutId = ({ body, id, ...others }: Encoded) => ({
  ...others,
  body: body.toString().replaceAll(id, 'its id'),
});

function encodeIn(
  memory: BatchMemory | undefined,
  text: string | Buffer,
  options: TextOptions,
): EncodedInput {
  const { nulls = [], types, batchBytes = 1 << 20, protocol = reportProtocol() } = options;
  const { head, batches } = read(text, { batchRows: 100, findsNoRows: true, ...options.read });
  const layout = csvLayout({ header: head });
  const features = chooseFeatures(layout, {}, { types, delimiter: ',' }, 'test.csv');
  const { body = protocol.predict('r').body, missing } = options;
  const batchBody = body.open({ features, nulls, missing }, memory);
  const limits = new BatchLimits(batchBytes, batchBody.rowOverhead);
  const bodyWriter = new BodyWriter();
  const stage = encode({ batchBody, features, layout, memory, bodyWriter, limits });
  const encoded = batches.flatMap(batch => [...stage(batch)]);
  return { layout, encoded, rowOverhead: batchBody.rowOverhead };
}
