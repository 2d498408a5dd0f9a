import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Predictions } from '../../../../src/base/contract/predictions.ts';
import { InferenceResponses } from '../../../../src/client/protocols/open-inference/inference-responses.ts';
import { plain } from '../../../support/scoring/predictions.ts';

interface Output {
  name: string;
  datatype?: string;
  shape: number[];
  data: unknown[];
}

/** Reads a response with these outputs for two rows. */
function read(
  outputs: Output[],
  { requested, named }: { requested?: string; named?: string[] } = {},
): Predictions {
  const reader = new InferenceResponses(requested, named);
  const body = { id: '7', outputs: outputs.map(output => ({ datatype: 'FP64', ...output })) };
  return reader.read(Buffer.from(JSON.stringify(body)), {
    personas: 2,
    predictionType: named && { kind: 'distribution', classes: named },
    id: '7',
  });
}

const probabilities: Output = { name: 'probabilities', shape: [2, 2], data: [0.25, 0.75, 1, 0] };
const label: Output = { name: 'label', shape: [2, 1], datatype: 'BYTES', data: ['yes', 'no'] };

describe('the outputs of a response', () => {
  it('are labels, numbers or probabilities by their width', () => {
    assert.deepEqual(plain(read([label])).labels, ['yes', 'no']);
    assert.deepEqual(plain(read([{ name: 'price', shape: [2], data: [3, 4.5] }])).values, [3, 4.5]);
    const received = read([probabilities], { named: ['no', 'yes'] });
    assert.deepEqual(plain(received).probabilities, [0.25, 0.75, 1, 0]);
    assert.throws(() => read([probabilities]), /does not name the classes/);
    assert.throws(
      () => read([probabilities], { named: ['a', 'b', 'c'] }),
      /has 2 values for each row, expected 3/,
    );
  });

  it('are chosen by what was asked for, or by what the classes say', () => {
    assert.equal(read([label, probabilities], { named: ['no', 'yes'] }).kind, 'distribution');
    assert.equal(read([label, probabilities]).kind, 'label');
    assert.equal(read([probabilities, label], { requested: 'label' }).kind, 'label');
    assert.throws(
      () => read([probabilities, { ...probabilities, name: 'other' }], { named: ['no', 'yes'] }),
      /has the outputs probabilities, other, and nothing says which has the predictions/,
    );
  });

  it('are several numbers by name if each has a number for each row', () => {
    const received = read([
      { name: 'low', shape: [2, 1], data: [1, 2] },
      { name: 'high', shape: [2], data: [8, 9] },
    ]);
    assert.deepEqual(plain(received), { names: ['high', 'low'], values: [8, 1, 9, 2] });
  });

  it('must have as many rows as were sent, and as many values as their shape says', () => {
    assert.throws(
      () => read([{ name: 'a', shape: [3], data: [1, 2, 3] }]),
      /3 predictions came back for 2 personas/,
    );
    assert.throws(
      () => read([{ name: 'a', shape: [2, 2], data: [1, 2, 3] }]),
      /has 3 values, its shape says 4/,
    );
    assert.throws(() => read([]), /the response has no output/);
  });
});
