import assert from 'node:assert/strict';
import { encodeValue } from '../../../src/formats/json/write-bytes.ts';
import { read } from '../csv/read.ts';
import { probabilitiesOf } from '../stub/service.ts';

const classes = ['no', 'yes'];
const appended = /,(?:probability_no,probability_yes|[\d.e-]+,[\d.e-]+)$/;

/**
 * Asserts that each row scored by the stub has the probabilities of its own persona, and that without them
 * it is the input, byte for byte.
 */
export function assertScored(output: Buffer, input: Buffer): void {
  const { head, batches, rows } = read(output, { batchRows: 100_000, chunk: 1 << 16 });
  const names = head.names.slice(0, -2);
  for (const row of rows) {
    const features = Object.fromEntries(
      names.map((name, index) => {
        const field = row[index] ?? '';
        return [name, field === '' ? null : JSON.parse(encodeValue(field, undefined))];
      }),
    );
    const { no, yes } = probabilitiesOf(features, classes);
    assert.deepEqual(row.slice(-2), [String(no), String(yes)], row.join());
  }
  const strip = (record: string): string => {
    const content = record.replace(/\r?\n$/, '');
    assert.match(content, appended);
    return content.replace(appended, '') + record.slice(content.length);
  };
  const records: string[] = [strip(head.bytes.toString())];
  for (const { bytes, ends } of batches)
    for (const [index, end] of ends.entries())
      records.push(strip(bytes.toString('utf8', ends[index - 1] ?? 0, end)));
  assert.equal(records.join(''), input.toString());
}
