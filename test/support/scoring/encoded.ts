import { contractWire } from '../../../src/base/contract/wire-names.ts';
import { BodyWriter } from '../../../src/client/bodies/body-writer.ts';
import { type Encoded, type EncodeOptions, encode } from '../../../src/client/bodies/objects.ts';
import { CsvLayout } from '../../../src/formats/csv/csv-layout.ts';
import { chooseFeatures } from '../../../src/scoring/feature-columns.ts';
import { type ReadOptions, read } from '../csv/read.ts';

export interface EncodedInput {
  layout: CsvLayout;
  encoded: Encoded[];
}

/** The encoded batches of a CSV with all columns sent; `read` says how it is cut into batches. */
export function encodeText(
  text: string | Buffer,
  options: Partial<EncodeOptions> & { read?: ReadOptions; types?: Record<string, string> } = {},
): EncodedInput {
  const { head, batches } = read(text, { batchRows: 100, ...options.read });
  const layout = new CsvLayout(head);
  const sent = chooseFeatures(layout, {}, { types: options.types }, 'test.csv');
  const stage = encode({
    report: 'r',
    features: sent,
    layout,
    nulls: [],
    wire: contractWire,
    bodyWriter: new BodyWriter(),
    batchBytes: () => 1 << 20,
    ...options,
  });
  return { layout, encoded: batches.flatMap(batch => [...stage(batch)]) };
}
