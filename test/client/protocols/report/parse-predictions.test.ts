import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { codePointOrder, type Distributions, tolerance } from '../../../../src/base/contract/predictions.ts';
import { Secrets } from '../../../../src/client/credentials.ts';
import { InvalidResponse } from '../../../../src/client/parse-response.ts';
import {
  type ExpectedPredictions,
  parsePredictions,
} from '../../../../src/client/protocols/report/parse-predictions.ts';
import { contractWire } from '../../../../src/client/protocols/report/wire-names.ts';

type Options = Partial<Omit<ExpectedPredictions, 'predictionType'>> & {
  classes?: readonly string[] | undefined;
};

const good = { no: 0.25, yes: 0.75 };

/** Reads a response for two personas, the first of which is valid. */
const readSecond = (second: unknown, options: Options = {}): Distributions =>
  readText(JSON.stringify({ id: 'r', predictions: [{ probabilities: good }, second] }), options);

/** Reads a response for one persona. */
const readOne = (probabilities: unknown, options: Options = {}): Distributions =>
  readText(JSON.stringify({ predictions: [{ probabilities }] }), { personas: 1, ...options });

function readText(body: string, options: Options = {}): Distributions {
  const { classes, ...others } = { classes: ['no', 'yes'], ...options };
  const predictionType = classes && ({ kind: 'distribution', classes } as const);
  const received = parsePredictions(body, { personas: 2, predictionType, wire: contractWire, ...others });
  assert.ok(received.kind === 'distribution');
  return received;
}

const wrong = (message: RegExp, classesChanged = false) => ({
  name: 'InvalidResponse',
  message,
  classesChanged,
});

describe('a response', () => {
  it('gives each persona its probabilities in header order, whatever the order of its members', () => {
    const { classes, probabilities, errors } = readSecond({ probabilities: { yes: 0.125, no: 0.875 } });
    assert.deepEqual(classes, ['no', 'yes']);
    assert.deepEqual([...probabilities], [0.25, 0.75, 0.875, 0.125]);
    assert.equal(errors.size, 0);
  });

  it('may contain an error for one persona without affecting the others', () => {
    const predictions = [
      { error: { code: 'unknown_level', message: 'no\nsuch\u001b[31m level' } },
      { probabilities: good },
      { error: {} },
    ];
    const { probabilities, errors, classes } = readText(JSON.stringify({ predictions }), {
      personas: 3,
      classes: undefined,
    });
    assert.deepEqual(classes, ['no', 'yes']);
    assert.deepEqual([...probabilities], [Number.NaN, Number.NaN, 0.25, 0.75, Number.NaN, Number.NaN]);
    assert.deepEqual(
      [...errors],
      [
        [0, { code: 'unknown_level', message: 'no such [31m level' }],
        [2, { code: 'error', message: '' }],
      ],
    );
  });

  it('matches predictions to personas by index if they are numbered from 0 or 1', () => {
    const numbered = (indexes: unknown[]): Distributions =>
      readText(
        JSON.stringify({
          predictions: indexes.map((index, at) => ({
            index,
            probabilities: { no: at / 4, yes: 1 - at / 4 },
          })),
        }),
        { personas: 3 },
      );
    assert.deepEqual([...numbered([2, 0, 1]).probabilities], [0.25, 0.75, 0.5, 0.5, 0, 1]);
    assert.deepEqual([...numbered([3, 1, 2]).probabilities], [0.25, 0.75, 0.5, 0.5, 0, 1]);
    for (const indexes of [
      [0, 1, 1],
      [0, 1, 3],
      [2, 3, 4],
      [0, 1, undefined],
      ['0', '1', '2'],
      [null, null, null],
    ])
      assert.throws(() => numbered(indexes), wrong(/"index" members/), JSON.stringify(indexes));
  });

  it('may name its report, which must be the requested one', () => {
    const from = (id: unknown): Distributions =>
      readText(JSON.stringify({ id, predictions: [{ probabilities: good }, { probabilities: good }] }), {
        report: '7',
      });
    for (const id of ['7', 7, undefined, null, { any: 'thing' }]) assert.equal(from(id).errors.size, 0);
    for (const id of ['8', 8, '']) assert.throws(() => from(id), wrong(/is from report/));
  });

  it('may have error members of any type', () => {
    const { errors } = readSecond({ error: { code: { toString: 1, valueOf: 1 }, message: [1] } });
    assert.deepEqual([...errors.keys()], [1]);
  });

  it('counts a persona’s error by its code, unless that is free text', () => {
    for (const [code, counted] of [
      ['unknown_level', 'unknown_level'],
      ['E-42.x', 'E-42.x'],
      [17, '17'],
      ['constructor', 'constructor'],
      ['__proto__', 'error'],
      ['the plan "gold" is not known', 'error'],
      ['x'.repeat(100), 'error'],
    ] as const)
      assert.equal(readSecond({ error: { code, message: '' } }).errors.get(1)?.code, counted);
  });

  it('does not show messages that contain the key or a part of it', () => {
    const secret = 'secret-1234567890';
    const secrets = new Secrets();
    secrets.addKey(secret);
    for (const words of [secret, { headers: [secret] }, 'x'.repeat(195) + secret]) {
      const { errors } = readSecond({ error: { code: words, message: words } }, { secrets });
      assert.deepEqual(errors.get(1), {
        code: 'error',
        message: 'it contains the API key or another secret, so it is not shown',
      });
    }
  });

  it('orders the classes by code points if nothing else defines their order', () => {
    const names = ['b', '9', '10', '\u{1f600}', '\uffff', 'é', 'Z', ''];
    const probabilities = Object.fromEntries(names.map(name => [name, 1 / names.length]));
    const { classes } = readOne(probabilities, { classes: undefined });
    assert.deepEqual(classes, ['', '10', '9', 'Z', 'b', 'é', '\uffff', '\u{1f600}']);
    assert.ok(codePointOrder('\uffff', '\u{10000}') < 0);
  });

  it('is read with the wire names of a deployment', () => {
    const wire = { ...contractWire, predictions: 'results', probabilities: 'scores', error: 'failure' };
    const body = { results: [{ scores: good }, { failure: { code: 'x', message: 'y' } }] };
    const { probabilities, errors } = readText(JSON.stringify(body), { wire });
    assert.deepEqual([...probabilities.subarray(0, 2)], [0.25, 0.75]);
    assert.deepEqual(errors.get(1), { code: 'x', message: 'y' });
    assert.throws(() => readSecond({ probabilities: good }, { wire }), wrong(/no list "results"/));
  });
});

describe('a response is refused', () => {
  it('with a different number of predictions', () => {
    for (const predictions of [[], [{ probabilities: good }], Array(3).fill({ probabilities: good })])
      assert.throws(
        () => readText(JSON.stringify({ predictions })),
        wrong(new RegExp(`${predictions.length} predictions? came back for 2 personas`)),
      );
  });

  it('with a different structure', () => {
    for (const body of ['', '<html>', '{"predictions":[', 'nan'])
      assert.throws(() => readText(body), wrong(/is not JSON/), body);
    for (const body of ['null', '[]', '1', '{}', '{"predictions":{"0":{},"1":{},"length":2}}'])
      assert.throws(() => readText(body), wrong(/no list "predictions"/), body);
    for (const second of [null, 1, 'x', [], [0.25, 0.75]])
      assert.throws(() => readSecond(second), wrong(/^prediction 2 is not an object/));
    for (const second of [{}, { probabilities: null }, { probabilities: [0.25, 0.75] }, { error: 'x' }])
      assert.throws(() => readSecond(second), wrong(/^prediction 2 has no "probabilities"/));
  });

  it('only for the row whose probability is not a number in 0..1', () => {
    for (const value of [null, '0.75', true, {}, [0.75], 1.0000001, 2, -1e-9, -1]) {
      const { probabilities, errors } = readSecond({ probabilities: { no: 0.25, yes: value } });
      assert.deepEqual([...probabilities], [0.25, 0.75, Number.NaN, Number.NaN], JSON.stringify(value));
      const message = 'the probability of "yes" is not a number in 0..1';
      assert.deepEqual([...errors], [[1, { code: 'wrong_probabilities', message }]]);
    }
  });

  it('with no valid probabilities for any persona', () => {
    const huge = '{"predictions":[{"probabilities":{"no":1e999,"yes":0}}]}';
    assert.throws(
      () => readText(huge, { personas: 1 }),
      wrong(/^prediction 1: the probability of "no" is not a number in 0\.\.1/),
    );
  });

  it('with an additional, missing or renamed class compared to the header', () => {
    const others = [{ no: 0.25, yes: 0.75, maybe: 0 }, { no: 1 }, { no: 0.25, Yes: 0.75 }, {}];
    for (const probabilities of others) {
      assert.throws(() => readSecond({ probabilities }), wrong(/^prediction 2 has the classes/, true));
      // The header is not written yet, so nothing has changed: the response contradicts itself.
      assert.throws(
        () => readSecond({ probabilities }, { classes: undefined }),
        wrong(/^prediction 2 has the classes/, false),
      );
    }
  });

  it('without any class', () => {
    assert.throws(() => readOne({}, { classes: undefined }), InvalidResponse);
  });

  it('with a class that only seems to exist because every object inherits it', () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      const classes = ['no', name];
      assert.throws(() => readSecond({ probabilities: good }, { classes }), wrong(/has the classes/, true));
      const own = JSON.parse(`{"no":0.25,${JSON.stringify(name)}:0.75}`);
      for (const known of [undefined, classes.toSorted()]) {
        const received = readOne(own, { classes: known });
        assert.deepEqual(received.classes, classes.toSorted(), name);
        assert.deepEqual([...received.probabilities].sort(), [0.25, 0.75]);
      }
      assert.throws(() => readOne(own), wrong(/has the classes/, true));
    }
  });
});

describe('the probabilities of a persona', () => {
  const reads = (values: readonly number[]): void => {
    const classes = values.map((_, index) => `c${index}`);
    readOne(Object.fromEntries(values.map((value, index) => [`c${index}`, value])), { classes });
  };

  it('may sum to any value that rounding to two decimals can produce', () => {
    assert.deepEqual([1, 2, 3, 10].map(tolerance), [0.01, 0.01, 0.015, 0.05]);
    reads([0.13, 0.88]); // 0.125 and 0.875
    reads([0.49, 0.5]);
    reads([0.99]);
    reads([0.335, 0.335, 0.345]);
    reads(Array(10).fill(0.105));
    reads(Array(10).fill(0.095));
  });

  it('must not sum to anything else', () => {
    for (const values of [
      [0.5, 0.5101],
      [0.5, 0.4899],
      [0.9899],
      [0.335, 0.335, 0.3451],
      Array(10).fill(0.10501),
      Array(10).fill(0.09499),
      [0, 0],
      [1, 1],
    ])
      assert.throws(() => reads(values), wrong(/the probabilities sum to/), values.join());
  });
});
