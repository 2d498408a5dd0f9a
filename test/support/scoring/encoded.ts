import { contractWire } from '../../../src/contract/wire-names.ts';
import type { Header } from '../../../src/formats/csv/header.ts';
import { BodyWriter } from '../../../src/scoring/body-writer.ts';
import { type Encoded, type EncodeOptions, encode } from '../../../src/scoring/encode.ts';
import { chooseFeatures } from '../../../src/scoring/feature-columns.ts';
import { type ReadOptions, read } from '../csv/read.ts';

export interface EncodedInput {
  header: Header;
  encoded: Encoded[];
}

/** The encoded batches of a CSV with all columns sent; `read` says how it is cut into batches. */
export function encodeText(
  text: string | Buffer,
  options: Partial<EncodeOptions> & { read?: ReadOptions; types?: Record<string, string> } = {},
): EncodedInput {
  const { head, batches } = read(text, { batchRows: 100, ...options.read });
  const sent = chooseFeatures(head, {}, { types: options.types }, 'test.csv');
  const stage = encode({
    report: 'r',
    features: sent,
    width: head.names.length,
    dialect: head.dialect,
    nulls: [],
    wire: contractWire,
    bodyWriter: new BodyWriter(),
    batchBytes: () => 1 << 20,
    ...options,
  });
  return { header: head, encoded: batches.flatMap(batch => [...stage(batch)]) };
}
