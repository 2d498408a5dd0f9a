import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Numbers, PredictionType } from '../../../../src/base/contract/predictions.ts';
import { Secrets } from '../../../../src/client/credentials.ts';
import { parsePredictions } from '../../../../src/client/protocols/report/parse-predictions.ts';
import { parsePersona, parseReport } from '../../../../src/client/protocols/report/parse-report.ts';
import { ReportResponses } from '../../../../src/client/protocols/report/report-protocol.ts';
import { contractWire } from '../../../../src/client/protocols/report/wire-names.ts';
import { plain } from '../../../support/scoring/predictions.ts';

const wire = contractWire;

function read(predictions: unknown, predictionType?: PredictionType, changed = wire): Numbers {
  const body = typeof predictions === 'string' ? predictions : JSON.stringify({ id: 'r', predictions });
  const personas = JSON.parse(body.replaceAll(/NaN|-?Infinity/g, '0')).predictions.length;
  const received = parsePredictions(body, { personas, predictionType, wire: changed, report: 'r' });
  assert.ok(received.kind === 'numbers');
  return received;
}

const wrong = (message: RegExp) => ({ name: 'InvalidResponse', message });

describe('a response of numbers', () => {
  it('has one for each persona, or an error in its place', () => {
    const { names, values, errors } = read([
      { error: { code: 'unknown_columns', message: 'none' } },
      { value: -1.5e300 },
      { value: 0.1, more: true },
    ]);
    assert.deepEqual(names, []);
    assert.deepEqual([...values], [Number.NaN, -1.5e300, 0.1]);
    assert.deepEqual([...errors], [[0, { code: 'unknown_columns', message: 'none' }]]);
  });

  it('has several by name: in the order of the report, else sorted', () => {
    const predictions = [{ values: { b: 1, a: 2 } }, { values: { a: 3, b: 4 } }];
    assert.deepEqual(plain(read(predictions)), { names: ['a', 'b'], values: [2, 1, 3, 4] });
    const known = read(predictions, { kind: 'numbers', names: ['b', 'a'] });
    assert.deepEqual(plain(known), { names: ['b', 'a'], values: [1, 2, 4, 3] });
    assert.deepEqual(read(predictions, { kind: 'numbers', names: ['x', 'a'] }).names, ['a', 'b']);
  });

  it('may have some that are not finite, as Python writes them', () => {
    const text = '{"predictions":[{"value":NaN},{"value":-Infinity},{"value":null},{"value":7}]}';
    assert.deepEqual([...read(text).values], [Number.NaN, Number.NEGATIVE_INFINITY, Number.NaN, 7]);
  });

  it('is refused if a prediction is of another kind, or has other names', () => {
    const mixed: [unknown[], RegExp][] = [
      [[{ value: 1 }, { value: '2' }], /^prediction 2 is text, but a number is expected$/],
      [[{ value: 1 }, { values: { a: 1 } }], /^prediction 2 is missing, but a number is expected$/],
      [[{ value: 1 }, { probabilities: { no: 1 } }], /^prediction 2 is missing, but a number is expected$/],
      [[{ value: 1 }, 2], /^prediction 2 is not an object$/],
      [[{ values: { a: 1 } }, { values: { b: 1 } }], /members b, expected the numbers a$/],
      [[{ values: { a: 1 } }, { values: { a: 1, b: 1 } }], /members a, b, expected the numbers a$/],
      [[{ error: {} }, { values: {} }], /^prediction 2 has no numbers$/],
      [[{ values: null }, { values: null }], /^prediction 1 has no numbers$/],
      [[{ probabilities: { no: 1 } }, { value: 1 }], /^prediction 2 has no "probabilities"$/],
    ];
    for (const [predictions, message] of mixed) assert.throws(() => read(predictions), wrong(message));
  });

  it('is read where a deployment has other names for errors, and where it numbers predictions', () => {
    const changed = { ...wire, error: 'failure' };
    const predictions = [
      { value: 2, index: 1 },
      { failure: { code: 'odd', message: '' }, index: 0 },
    ];
    const { values, errors } = read(predictions, undefined, changed);
    assert.deepEqual([[...values], errors.get(0)?.code], [[Number.NaN, 2], 'odd']);
  });

  it('is never taken for probabilities where a deployment calls these "value"', () => {
    const changed = { ...wire, probabilities: 'value' };
    const body = JSON.stringify({ predictions: [{ value: { no: 0.25, yes: 0.75 } }] });
    const received = parsePredictions(body, { personas: 1, predictionType: undefined, wire: changed });
    assert.equal(received.kind, 'distribution');
  });

  it('is read again and again, also once another response had probabilities', () => {
    const reader = new ReportResponses('r', wire);
    const kindOf = (predictions: unknown[]) =>
      reader.read(Buffer.from(JSON.stringify({ id: 'r', predictions })), {
        personas: predictions.length,
        predictionType: { kind: 'distribution', classes: ['no', 'yes'] },
      }).kind;
    const sure = { probabilities: { no: 0.25, yes: 0.75 } };
    assert.deepEqual(
      [kindOf([sure, sure]), kindOf([{ value: 1 }, { value: 2 }]), kindOf([sure, sure])],
      ['distribution', 'numbers', 'distribution'],
    );
  });
});

describe('the response for one persona', () => {
  const parse = (answer: string) =>
    parsePersona(Buffer.from(answer), { report: 'r', wire, secrets: new Secrets() });

  it('has a number, or several by name, and warnings', () => {
    assert.deepEqual(parse('{"id":"r","value":1.5}'), { value: 1.5, warnings: [] });
    const warnings = [{ code: 'unseen', column: 'plan', message: 'not known' }];
    assert.deepEqual(parse(JSON.stringify({ id: 'r', values: { b: 1, a: 2 }, warnings })), {
      values: { a: 2, b: 1 },
      warnings,
    });
  });

  it('is refused if the number is not finite, or there is none', () => {
    assert.throws(() => parse('{"id":"r","value":NaN}'), wrong(/^the number is NaN$/));
    assert.throws(() => parse('{"id":"r","values":{"a":1e999}}'), wrong(/^the number "a" is Infinity$/));
    assert.throws(() => parse('{"id":"r"}'), wrong(/^prediction 1 has no "probabilities"$/));
    assert.throws(() => parse('{"id":"other","value":1}'), wrong(/^the response is from report "other"/));
  });
});

describe('the description of a report', () => {
  const numbersOf = (more: object) =>
    parseReport(Buffer.from(JSON.stringify({ tech_specs: {}, drivers: [], ...more })), 'r').numbers;

  it('names numbers, unless a service uses the name for something else', () => {
    assert.deepEqual(numbersOf({ numbers: [] }), []);
    assert.deepEqual(numbersOf({ numbers: ['b', 'a'] }), ['b', 'a']);
    for (const numbers of [3, { a: 1 }, [1, 2], ['a', 'a']]) assert.equal(numbersOf({ numbers }), undefined);
  });
});
