import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { dateOrders, daysOf } from '../../../../src/formats/values/dates.ts';
import { controlDate, type FieldKind, type PersonaField } from '../../../../src/web/report/persona/fields.ts';
import { featuresJson } from '../../../../src/web/report/persona/persona-view.ts';
import { readPersona } from '../../../../src/web/report/persona/read-form.ts';
import { character } from '../../../support/random-tests.ts';

const field = (kind: FieldKind): PersonaField => ({
  key: 'c0',
  name: 'a',
  impact: 1,
  kind,
  typical: '',
  hint: '',
});
const read = (kind: FieldKind, text: unknown) => {
  const { features, errors, remarks } = readPersona([field(kind)], { c0: text });
  return { value: features[0]?.[1], error: errors.get('c0'), remark: remarks.get('c0') };
};
const number: FieldKind = { type: 'number', profile: undefined };

describe('the form for personas', () => {
  it('reads numbers as a number control sends them', () => {
    for (const [text, value] of [
      ['12.5', 12.5],
      ['-3', -3],
      ['1e3', 1000],
      [' 7 ', 7],
    ] as const)
      assert.deepEqual(read(number, text), { value, error: undefined, remark: undefined });
    for (const text of ['1,5', 'x', '0x10', '1e99', 'Infinity', '--1'])
      assert.match(String(read(number, text).error), /Enter a number/, text);
  });

  it('takes empty, missing and repeated fields as missing values', () => {
    for (const text of ['', '  ', undefined, ['1', '2'], 3])
      assert.deepEqual(read(number, text), { value: null, error: undefined, remark: undefined });
  });

  it('writes the dates of a date control in the order of the column', () => {
    const days = fc.integer({ min: -40_000, max: 80_000 });
    fc.assert(
      fc.property(
        days,
        fc.nat(1439),
        fc.constantFrom(...dateOrders),
        fc.boolean(),
        (day, minute, order, hasTime) => {
          const at = day + (hasTime ? minute / 1440 : 0);
          const text = controlDate(at + 1e-6, hasTime);
          const { value } = read({ type: 'date', order, hasTime, profile: undefined }, text);
          assert.ok(Math.abs((daysOf(String(value), order) ?? Number.NaN) - at) < 1e-5, `${text}: ${value}`);
        },
      ),
    );
  });

  it('refuses days that do not exist', () => {
    for (const order of dateOrders)
      for (const text of ['2021-02-30', '2021-13-01', 'soon', '2021-1'])
        assert.match(
          String(read({ type: 'date', order, hasTime: false, profile: undefined }, text).error),
          /Enter a date/,
        );
  });

  it('takes the index of a category, so that its text need not survive the browser', () => {
    const kind: FieldKind = { type: 'choice', levels: ['two\nlines', ' spaced '] };
    assert.equal(read(kind, '0').value, 'two\nlines');
    assert.equal(read(kind, '1').value, ' spaced ');
    for (const text of ['2', '-1', '1.0', 'two\nlines', '00000'])
      assert.ok(read(kind, text).error !== undefined, text);
  });

  it('takes any text for a column of many categories, and says if the model does not know it', () => {
    const levels = ['Berlin', 'Paris'];
    assert.deepEqual(read({ type: 'text', levels, hasOthers: false }, 'Paris'), {
      value: 'Paris',
      error: undefined,
      remark: undefined,
    });
    assert.match(
      String(read({ type: 'text', levels, hasOthers: false }, 'paris').remark),
      /counts as missing/,
    );
    assert.match(String(read({ type: 'text', levels, hasOthers: true }, 'paris').remark), /rare values/);
  });
});

describe('the JSON of a persona', () => {
  it('is what JSON.parse reads, and shows every character', () => {
    const scalar = fc.oneof(
      fc.string({ unit: character }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constant(null),
    );
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(fc.string({ unit: character }), scalar), { selector: ([name]) => name }),
        features => {
          const text = featuresJson(features);
          assert.doesNotMatch(text, /[\p{Cc}\p{Cf}\u2028\u2029]/u);
          const parsed = JSON.parse(text);
          for (const [name, value] of features)
            assert.equal(Object.getOwnPropertyDescriptor(parsed, name)?.value, value === 0 ? 0 : value);
        },
      ),
    );
  });
});
