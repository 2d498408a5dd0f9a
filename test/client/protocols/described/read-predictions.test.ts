import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Predictions } from '../../../../src/base/contract/predictions.ts';
import { describedReader } from '../../../../src/client/protocols/described/described-protocol.ts';
import type {
  ResponseDescription,
  RowDescription,
} from '../../../../src/client/protocols/described/description.ts';
import type { Expected } from '../../../../src/client/protocols/protocol.ts';
import { plain } from '../../../support/scoring/predictions.ts';

interface Options extends Partial<Expected> {
  row?: RowDescription;
  named?: string[];
}

/** Reads a response that is a list of predictions. */
function read(rows: unknown, { row = 'any', named, ...expected }: Options = {}): Predictions {
  const personas = Array.isArray(rows) ? rows.length : 1;
  return readText(JSON.stringify(rows), { rows: '', row }, { personas, ...expected }, named);
}

function readText(
  text: string,
  response: ResponseDescription,
  expected: Pick<Expected, 'personas'> & Partial<Expected>,
  named?: string[],
): Predictions {
  const reader = describedReader({ response, errors: { message: '/error' } }, named);
  return reader.read(Buffer.from(text), { predictionType: undefined, ...expected });
}

describe('predictions by their shape', () => {
  it('are labels if the first one is text, or true or false', () => {
    assert.deepEqual(plain(read(['b', 'a', 'b', null])), { labels: ['b', 'a'], indices: [0, 1, 0, -1] });
    assert.deepEqual({ ...read([true, [false]]) }, { ...read(['true', 'false']) });
  });

  it('are numbers if the first one is a number, also alone in a list', () => {
    const expected = { names: [], values: [1.5, Number.NaN, -2] };
    assert.deepEqual(plain(read([1.5, null, -2])), expected);
    assert.deepEqual(plain(read([[1.5], null, [-2]])), expected);
  });

  it('are several numbers by name if those of the first one do not sum to 1', () => {
    const rows = [
      { low: 1, high: 9 },
      { high: 0.5, low: null },
    ];
    assert.deepEqual(plain(read(rows)), { names: ['high', 'low'], values: [9, 1, 0.5, Number.NaN] });
  });

  it('are probabilities by class if they sum to 1', () => {
    const received = read([null, { yes: 0.25, no: 0.75 }, { no: 0.5, yes: 0.5 }]);
    const probabilities = [Number.NaN, Number.NaN, 0.75, 0.25, 0.5, 0.5];
    assert.deepEqual(plain(received), { classes: ['no', 'yes'], probabilities });
    assert.deepEqual([...received.errors.keys()], [0]);
  });

  it('are probabilities by label in predictionValues, or a number if there is only one', () => {
    const labelled = (values: Record<string, number>) => ({
      prediction: 'x',
      predictionValues: Object.entries(values).map(([label, value]) => ({ label, value })),
    });
    const rows = [labelled({ yes: 0.25, no: 0.75 }), labelled({ no: 1, yes: 0 })];
    assert.deepEqual(plain(read(rows)).probabilities, [0.75, 0.25, 1, 0]);
    assert.deepEqual({ ...read([labelled({ price: 7 })]) }, { ...read([7]) });
  });

  it('are probabilities in a list only if the classes are named', () => {
    assert.throws(() => read([[0.25, 0.75]]), /does not name the classes/);
    const predictionType = { kind: 'distribution', classes: ['yes', 'no'] } as const;
    // Earlier responses had objects, so nobody has said what a place in a list means.
    assert.throws(() => read([[0.25, 0.75]], { predictionType }), /does not name the classes/);
    const received = read([[0.25, 0.75]], { named: ['no', 'yes'], predictionType });
    assert.deepEqual(plain(received), { classes: ['yes', 'no'], probabilities: [0.75, 0.25] });
    assert.throws(() => read([[0.2, 0.3, 0.5]], { named: ['no', 'yes'] }), /3 probabilities for 2 classes/);
  });

  it('are probabilities next to a label, as H2O, PyCaret and transformers return them', () => {
    const scores = (first: string, second: string, score: number) => [
      { label: first, score },
      { label: second, score: 1 - score },
    ];
    const next = (...predict: unknown[]) =>
      predict.map((label, row) => ({
        predict: label,
        no: row === 0 ? 0.75 : 0.5,
        yes: row === 0 ? 0.25 : 0.5,
      }));
    for (const rows of [next('no', 'no'), next(0, 1), [scores('yes', 'no', 0.25), scores('no', 'yes', 0.5)]])
      for (const row of ['any', { kind: 'probabilities', at: '' }] as const)
        assert.deepEqual(plain(read(rows, { row })), {
          classes: ['no', 'yes'],
          probabilities: [0.75, 0.25, 0.5, 0.5],
        });
  });

  it('next to a label are wrong in their row only, once the classes are known', () => {
    const predictionType = { kind: 'distribution', classes: ['no', 'yes'] } as const;
    const rows = [
      { predict: 'no', no: 0.5, yes: 0.1 },
      { predict: 'no', no: 0.5, yes: 0.5 },
    ];
    assert.deepEqual([...read(rows, { predictionType }).errors.keys()], [0]);
  });

  it('are probabilities of a class that is called label, if the numbers with it sum to 1', () => {
    for (const rows of [[{ label: 0.25, other: 0.75 }], [{ label: 0, other: 1 }]])
      assert.deepEqual(plain(read(rows)).classes, ['label', 'other']);
  });

  it('are labels if only the score of the label is next to it', () => {
    const rows = [{ prediction_label: 'b', prediction_score: 0.75 }, null, { prediction_label: 'a' }];
    assert.deepEqual(plain(read(rows)), { labels: ['b', 'a'], indices: [0, -1, 1] });
  });

  it('are nothing if a single row has what a server says of an error', () => {
    for (const row of [{ code: 500 }, { status_code: 503, error: null }, { label: 'failed', code: 7 }])
      assert.throws(() => read([row]), /which is (an error|no prediction)$/);
  });

  it('are nothing if an object has text, or is empty', () => {
    assert.throws(
      () => read([{ name: 'yes', p: 0.5 }]),
      /an object with the members name, p, which is no prediction$/,
    );
    assert.throws(() => read([{}]), /which is no prediction/);
  });

  it('are invalid if all are null, unless they are what is left of a batch', () => {
    assert.throws(() => read([null, null]), /all predictions are null/);
    const { errors } = read([null, null], { allowAllInvalid: true });
    assert.deepEqual([...errors.keys()], [0, 1]);
  });
});

describe('predictions whose kind is known', () => {
  it('must be of that kind, and a message says nothing of what they are', () => {
    const secret = 'Ada Lovelace';
    const label = { predictionType: { kind: 'label' } } as const;
    const number = { predictionType: { kind: 'numbers', names: [] } } as const;
    const distribution = { predictionType: { kind: 'distribution', classes: ['a', 'b'] } } as const;
    for (const [rows, expected, message] of [
      [[1], label, /: prediction 1 is a number, but a label is expected$/],
      [[secret], number, /: prediction 1 is text, but a number is expected$/],
      [
        ['a', { secret }],
        label,
        /: prediction 2 is an object with the members secret, but a label is expected$/,
      ],
      [[secret], distribution, /: prediction 1 is text, but probabilities are expected$/],
      [[{ a: 1 }], distribution, /: prediction 1 has the classes a, expected a, b$/],
    ] as const)
      assert.throws(() => read(rows, expected), message);
  });

  it('are read where the description says, whatever else is in a row', () => {
    const rows = [
      { id: 7, out: { class: 3, p: { x: 0.5, y: 0.5 } } },
      { id: 8, out: { class: 4, p: { x: 1, y: 0 } } },
    ];
    const at = (kind: 'label' | 'number' | 'numbers' | 'probabilities', pointer: string) =>
      plain(read(rows, { row: { kind, at: pointer } }));
    assert.deepEqual(at('label', '/out/class').labels, ['3', '4']);
    assert.deepEqual(at('number', '/out/class').values, [3, 4]);
    assert.deepEqual(at('numbers', '/out/p').names, ['x', 'y']);
    assert.deepEqual(at('probabilities', '/out/p').classes, ['x', 'y']);
    assert.throws(() => at('label', '/out/none'), /prediction 1 has nothing at "\/out\/none"/);
  });

  it('are no labels if they have half of a surrogate pair', () => {
    assert.deepEqual(plain(read(['\ud83d', '😀', 'a\ude00'])).indices, [-1, 0, -1]);
  });

  it('are no labels if they are integers that a double does not hold', () => {
    const labels = read([9007199254740991, 9007199254740994], { row: { kind: 'label', at: '' } });
    assert.deepEqual(plain(labels).indices, [0, -1]);
  });
});
