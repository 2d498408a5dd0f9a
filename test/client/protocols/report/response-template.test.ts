import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type {
  Distributions,
  Predictions,
  PredictionType,
} from '../../../../src/base/contract/predictions.ts';
import { parsePredictions } from '../../../../src/client/protocols/report/parse-predictions.ts';
import { ReportResponses } from '../../../../src/client/protocols/report/report-protocol.ts';
import { ResponseTemplate } from '../../../../src/client/protocols/report/response-template.ts';
import { contractWire } from '../../../../src/client/protocols/report/wire-names.ts';
import { character, isFull, runs } from '../../../support/random-tests.ts';

const classes = fc.uniqueArray(fc.string({ unit: character, maxLength: 6 }), { minLength: 1, maxLength: 4 });

/** The probabilities of one persona, with a few digits or all digits of a double. */
const split = (names: readonly string[]): fc.Arbitrary<Record<string, number>> =>
  fc
    .tuple(fc.array(fc.nat(1000), { minLength: names.length, maxLength: names.length }), fc.nat(17))
    .map(([weights, digits]) => {
      const total = weights.reduce((sum, weight) => sum + weight, 0) || 1;
      const share = (weight: number): number =>
        total === 1 ? 1 / names.length : Number((weight / total).toPrecision(digits + 3));
      return Object.fromEntries(names.map((name, at) => [name, share(weights[at] ?? 0)]));
    });

interface Style {
  indent: number | undefined;
  extra: object;
  /** The index of the first persona, if they are numbered: before or after their probabilities. */
  before?: number;
  after?: number;
}

const style: fc.Arbitrary<Style> = fc
  .tuple(
    fc.record({
      indent: fc.constantFrom(undefined, 1, 2),
      extra: fc.constantFrom({}, { model: 'ü "1"', warnings: [] }),
    }),
    fc.constantFrom({}, { before: 0 }, { before: 1 }, { after: 0 }, { after: 1 }),
  )
  .map(([style, index]) => ({ ...style, ...index }));

const bodyOf = (personas: readonly object[], { indent, extra, before, after }: Style): Buffer => {
  const numbered = (first: number | undefined, at: number): object =>
    first === undefined ? {} : { index: first + at };
  const predictions = personas.map((probabilities, at) => ({
    ...numbered(before, at),
    probabilities,
    ...extra,
    ...numbered(after, at),
  }));
  return Buffer.from(JSON.stringify({ id: 'é', predictions }, null, indent));
};

const distributionOf = (classes: readonly string[]): PredictionType => ({ kind: 'distribution', classes });

function probabilitiesIn(received: Predictions): Distributions {
  assert.ok(received.kind === 'distribution');
  return received;
}

const inFull = (body: Buffer, personas: number, known: readonly string[]): Distributions =>
  probabilitiesIn(
    parsePredictions(body.toString(), {
      personas,
      predictionType: distributionOf(known),
      wire: contractWire,
    }),
  );

/** The places of digits that hardly matter for the sum: the eleventh after a point, and those after it. */
const lateDigits = (body: Buffer): number[] =>
  [...body.toString('latin1').matchAll(/(?<=\.\d{10})\d+/g)].flatMap(({ 0: digits, index }) =>
    Array.from(digits, (_, i) => index + i),
  );

const twoResponses = classes.chain(names =>
  fc.record({
    names: fc.constant(names),
    style,
    first: fc.array(split(names), { minLength: 2, maxLength: 5 }),
    second: fc.array(split(names), { minLength: 1, maxLength: 5 }),
  }),
);

const names = ['no', 'yes'];
const certain = { yes: 1, no: 0 };
const two = [
  { no: 0.25, yes: 0.75 },
  { no: 0.5, yes: 0.5 },
];
const bare: Style = { indent: undefined, extra: {} };

/** Reads a response with the classes `names`. */
const readBy = (reader: ReportResponses, body: Buffer, personas: number): Distributions =>
  probabilitiesIn(reader.read(body, { personas, predictionType: distributionOf(names) }));

describe('the template of a response', () => {
  it('reads a response of the same structure exactly like the full parser', () => {
    const bodies = runs(1000);
    let repeated = 0;
    fc.assert(
      fc.property(twoResponses, ({ names, style, first, second }) => {
        const model = bodyOf(first, style);
        const template = ResponseTemplate.of(model, inFull(model, first.length, names));
        const body = bodyOf(second, style);
        const received = template?.read(body, second.length, names);
        if (received === undefined) return;
        repeated++;
        assert.deepEqual(received, inFull(body, second.length, names));
      }),
      { numRuns: bodies },
    );
    // Numbers with an exponent, or sums too far from 1 due to rounding, have no template.
    assert.ok(repeated > bodies / 2, `only ${repeated} of ${bodies} were read by their template`);
  });

  it('never reads a response that the full parser would reject or read differently', () => {
    const bodies = runs(3000);
    let repeated = 0;
    fc.assert(
      fc.property(
        twoResponses,
        fc.nat(),
        fc.nat(255),
        fc.nat(3),
        fc.boolean(),
        (both, place, byte, cut, isDigit) => {
          const { names, style, first } = both;
          const model = bodyOf(first, style);
          const template = ResponseTemplate.of(model, inFull(model, first.length, names));
          const changed = Buffer.from(model.subarray(0, isDigit ? model.length : model.length - cut));
          const places = isDigit ? lateDigits(model) : [];
          const at = places[place % places.length];
          if (at === undefined) changed[place % changed.length] = byte;
          else changed[at] = 0x30 + (byte % 10);
          const received = template?.read(changed, first.length, names);
          if (received === undefined) return;
          repeated++;
          assert.deepEqual(received, inFull(changed, first.length, names));
        },
      ),
      { numRuns: bodies },
    );
    // Only a late digit can change without changing the structure or the sum.
    assert.ok(repeated > bodies / 10, `only ${repeated} of ${bodies} were read by their template`);
  });

  it('is undefined if a number is not a probability of the persona', () => {
    const body = bodyOf(two, { indent: undefined, extra: { version: 1 } });
    assert.equal(ResponseTemplate.of(body, inFull(body, 2, names)), undefined);
  });

  it('does not match a response whose personas are numbered in another order or from another start', () => {
    const numbered = (...indexes: unknown[]): Buffer =>
      Buffer.from(
        JSON.stringify({
          predictions: two.map((probabilities, at) => ({ index: indexes[at], probabilities })),
        }),
      );
    const template = ResponseTemplate.of(numbered(0, 1), inFull(numbered(0, 1), 2, names));
    assert.ok(template?.read(numbered(0, 1), 2, names));
    for (const indexes of [
      [1, 0],
      [1, 2],
      [0, 0],
      [0, 10],
      [0, '1'],
      [0, 1.5],
      [0, -1],
    ])
      assert.equal(template?.read(numbered(...indexes), 2, names), undefined, JSON.stringify(indexes));
  });

  it('reads no numbers that are invalid in JSON, and none over 1', () => {
    const body = bodyOf(two, bare);
    const template = ResponseTemplate.of(body, inFull(body, 2, names));
    for (const [no, yes] of [
      ['1.5', '/.5'],
      ['1.', '0'],
      ['.25', '0.75'],
      ['00.25', '0.75'],
      ['1.5', '-0.5'],
      [' .2500000000000001', '0.75'],
      ['+.2500000000000001', '0.75'],
    ]) {
      const changed = body.toString().replace('"no":0.25,"yes":0.75', `"no":${no},"yes":${yes}`);
      assert.equal(template?.read(Buffer.from(changed), 2, names), undefined, changed);
    }
  });

  it('does not match different classes or a different number of predictions', () => {
    const body = bodyOf([{ yes: 0.75, no: 0.25 }, certain], bare);
    const template = ResponseTemplate.of(body, inFull(body, 2, names));
    assert.deepEqual([...(template?.read(body, 2, names)?.probabilities ?? [])], [0.25, 0.75, 0, 1]);
    assert.equal(template?.read(body, 1, names), undefined);
    assert.equal(template?.read(body, 3, names), undefined);
    assert.equal(template?.read(body, 2, undefined), undefined);
    assert.equal(template?.read(body, 2, ['no', 'yes', 'maybe']), undefined);
  });
});

describe('a response reader', () => {
  it('does not mistake responses of one report for another’s', () => {
    const body = bodyOf(two, bare);
    const read = (report: string) => readBy(new ReportResponses(report, contractWire), body, 2);
    assert.equal(read('é').probabilities.length, 4);
    assert.throws(() => read('e'), { name: 'InvalidResponse' });
  });

  it('reads the longest allowed text in linear time, whatever it contains', () => {
    // In quadratic time, even a tenth would take hours.
    const length = isFull ? 8 << 20 : 1 << 20;
    const predictions = [
      { probabilities: { yes: 0.75, no: 0.25 } },
      { probabilities: { yes: 0.5, no: 0.5 } },
    ];
    for (const note of ['x', '"', '0', '\\']) {
      const body = Buffer.from(JSON.stringify({ note: note.repeat(length), predictions }));
      const received = readBy(new ReportResponses('é', contractWire), body, 2);
      assert.deepEqual(received.probabilities, Float64Array.of(0.25, 0.75, 0.5, 0.5));
      assert.deepEqual(ResponseTemplate.of(body, received)?.read(body, 2, names), received);
    }
  });

  it('finds the error in a response that matches a template except for one probability', () => {
    const reader = new ReportResponses('é', contractWire);
    const read = (personas: object[]) => readBy(reader, bodyOf(personas, bare), personas.length);
    const [sound = {}] = two;
    read([sound, sound]);
    assert.equal(read([sound, { no: 0.25, yes: 0.25 }]).errors.get(1)?.code, 'wrong_probabilities');
    assert.deepEqual([...read([sound]).probabilities], [0.25, 0.75]);
    const deep = Buffer.from('['.repeat(100));
    assert.throws(() => readBy(reader, deep, 1), { message: /nested too deeply/ });
  });
});
