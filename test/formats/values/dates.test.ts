import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parquetValueText } from '../../../src/formats/parquet/text/value-text.ts';
import { dateOrderOf } from '../../../src/formats/values/column-type.ts';
import { daysOf, hourOf } from '../../../src/formats/values/dates.ts';

/** How JavaScript parses a full ISO date. */
const days = (iso: string) => Date.parse(iso) / 86_400_000;

for (const { text, order, is } of [
  { text: '1970-01-01', order: 'ymd', is: 0 },
  { text: ' 2024-02-29 ', order: 'ymd', is: days('2024-02-29T00:00:00Z') },
  { text: '2024/2/9', order: 'ymd', is: days('2024-02-09T00:00:00Z') },
  { text: '9.2.2024', order: 'dmy', is: days('2024-02-09T00:00:00Z') },
  { text: '02/09/2024', order: 'mdy', is: days('2024-02-09T00:00:00Z') },
  { text: '1066-10-14', order: 'ymd', is: days('1066-10-14T00:00:00Z') },
  { text: '0050-01-01', order: 'ymd', is: days('0050-01-01T00:00:00Z') },
  { text: '2024-02-29T06:00', order: 'ymd', is: days('2024-02-29T06:00:00Z') },
  { text: '2024-02-29 06:00:30.250', order: 'ymd', is: days('2024-02-29T06:00:30Z') },
  { text: '2024-02-29T06:00:00Z', order: 'ymd', is: days('2024-02-29T06:00:00Z') },
  { text: '2024-02-29T06:00:00+05:30', order: 'ymd', is: days('2024-02-29T00:30:00Z') },
  { text: '2024-02-29 00:00:00 -0800', order: 'ymd', is: days('2024-02-29T08:00:00Z') },
] as const)
  test(`"${text}" is a date, in days since 1970`, () => {
    const found = daysOf(text, order);
    assert.ok(Math.abs((found ?? Number.NaN) - is) < 1e-9, String(found));
  });

for (const text of [
  '',
  '2023-02-29',
  '2024-13-01',
  '2024-00-10',
  '2024-0-10',
  '2024-01-00',
  '2024-01/02',
  '1.2.3',
  '20240102',
  '2024-01-02x',
  '2024-01-02 25:00',
  '2024-01-02 12:61',
  '2024-01-02+01:00',
  'tomorrow',
])
  test(`"${text}" is not a date`, () => {
    assert.equal(daysOf(text, 'ymd'), null);
  });

for (const { text, order, is } of [
  { text: '3 Jan 2024', order: 'ymd', is: '2024-01-03T00:00:00Z' },
  { text: '03-JAN-24', order: 'mdy', is: '2024-01-03T00:00:00Z' },
  { text: '3rd of January', order: 'mdy', is: null },
  { text: 'January 3, 2024', order: 'dmy', is: '2024-01-03T00:00:00Z' },
  { text: 'Jan 3rd, 2024 3:30 PM', order: 'dmy', is: '2024-01-03T15:30:00Z' },
  { text: 'Sept. 9 1999', order: 'dmy', is: '1999-09-09T00:00:00Z' },
  { text: 'Wed, 03 Jan 2024 23:10:05 GMT', order: 'ymd', is: '2024-01-03T23:10:05Z' },
  { text: '2024-Jan-03', order: 'dmy', is: '2024-01-03T00:00:00Z' },
  { text: '24-01-03', order: 'ymd', is: '2024-01-03T00:00:00Z' },
  { text: '03/01/68', order: 'dmy', is: '2068-01-03T00:00:00Z' },
  { text: '03/01/69', order: 'dmy', is: '1969-01-03T00:00:00Z' },
  { text: '01/03/2024 12:05 am', order: 'mdy', is: '2024-01-03T00:05:00Z' },
  { text: '01/03/2024, 12:05 p.m.', order: 'mdy', is: '2024-01-03T12:05:00Z' },
  { text: '01/03/2024 13:05 PM', order: 'mdy', is: null },
  { text: '31 Feb 2024', order: 'dmy', is: null },
  { text: '3 Jan 924', order: 'dmy', is: null },
  { text: '3 Juice 2024', order: 'dmy', is: null },
] as const)
  test(`in free form, "${text}" is ${is ?? 'not a date'}`, () => {
    const found = daysOf(text, order);
    if (is === null) assert.equal(found, null);
    else assert.ok(Math.abs((found ?? Number.NaN) - days(is)) < 1e-9, String(found));
  });

for (const { text, is } of [
  { text: '2024-01-15 03:00', is: '2024-01-15T03:00:00Z' },
  { text: '2024/1/5', is: '2024-01-05T00:00:00Z' },
  { text: '2024-05-06T07:08:09.123+02:00', is: '2024-05-06T05:08:09Z' },
  { text: '2024-05-06t07:08:09z', is: '2024-05-06T07:08:09Z' },
])
  test(`"${text}" has one meaning, whatever the order of the column's other dates`, () => {
    for (const order of ['ymd', 'dmy', 'mdy'] as const) {
      const found = daysOf(text, order) ?? Number.NaN;
      assert.ok(Math.abs(found - days(is)) < 1e-9, `${order}: ${found}`);
    }
  });

test('a time in the basic format of ISO 8601 is read in columns of any order', () => {
  for (const order of ['ymd', 'dmy', 'mdy'] as const)
    assert.equal(daysOf('20240131T0930Z', order), days('2024-01-31T09:30:00Z'));
});

test('the learned order decides where the year is last, even if another order has such a day', () => {
  const dayOf = (text: string, order: 'dmy' | 'mdy' | 'ymd') => daysOf(text, order);
  assert.equal(dayOf('01/02/2024', 'mdy'), days('2024-01-02T00:00:00Z'));
  assert.equal(dayOf('01/02/2024', 'dmy'), days('2024-02-01T00:00:00Z'));
  // If only some dates of a column were read in another order, the others would be wrong without anybody noticing.
  assert.equal(dayOf('31/01/2024', 'mdy'), null);
  assert.equal(dayOf('31/01/2024', 'ymd'), null);
});

test('the order of a column is that in which its dates are written, with ISO dates among them', () => {
  const orderOf = (...texts: string[]) => dateOrderOf(new Map(texts.map(text => [text, 1])));
  assert.deepEqual(orderOf('2024-01-02', '2024-01-31'), { order: 'ymd', dates: 2 });
  assert.deepEqual(orderOf('2024/01/02', '2024/01/31'), { order: 'ymd', dates: 2 });
  assert.deepEqual(orderOf('2024-01-02', '2024-01-03', '01/31/2024'), { order: 'mdy', dates: 3 });
  assert.deepEqual(orderOf('2024-01-02', '31.01.2024', '01.02.2024'), { order: 'dmy', dates: 3 });
});

test('the hour of a date is that of UTC if there is a time zone, else the one written', () => {
  for (const [text, hour] of [
    ['2024-01-03 06:45:00', 6.75],
    ['2024-01-03 06:45:00+05:30', 1.25],
    ['2024-01-03 00:15 +0200', 22.25],
    ['2024-01-03T20:30:00-08:00', 4.5],
    ['2024-01-03T06:45:00Z', 6.75],
    ['2024-01-03', 0],
    ['2024-02-30 06:45', null],
  ] as const)
    assert.equal(hourOf(text, 'ymd'), hour, text);
});

test('an instant has the same day and hour in local time, with its offset, as in the text of Parquet', () => {
  const parquetText = parquetValueText({ is: 'timestamp', digits: 6, isUtc: true });
  const parts = new Intl.DateTimeFormat('sv', {
    timeZone: 'Europe/Berlin',
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  const offset = new Intl.DateTimeFormat('en', { timeZone: 'Europe/Berlin', timeZoneName: 'longOffset' });
  const offsets = new Set<string>();
  for (let at = Date.UTC(2024, 2, 30); at < Date.UTC(2024, 9, 29); at += 40 * 60_000) {
    const [, shift = ''] = / GMT(.*)$/.exec(offset.format(at)) ?? [];
    offsets.add(shift);
    const local = `${parts.format(at)}${shift}`;
    const utc = parquetText?.(BigInt(at) * 1000n) ?? '';
    assert.equal(daysOf(local, 'ymd'), daysOf(utc, 'ymd'), local);
    assert.equal(hourOf(local, 'ymd'), hourOf(utc, 'ymd'), local);
  }
  assert.deepEqual([...offsets], ['+01:00', '+02:00']);
});

test('an order that the texts do not tell comes with the other one', () => {
  const otherOf = (...texts: string[]) => dateOrderOf(new Map(texts.map(text => [text, 1])))?.other;
  assert.equal(otherOf('03/04/2024', '2024-05-06'), 'dmy');
  assert.equal(otherOf('03.04.2024'), 'mdy');
  for (const told of [
    ['03/04/2024', '31/12/2024'],
    ['03/03/2024', '05/05/2024'],
    ['3 April 2024'],
    ['2024-03-04'],
    ['never'],
  ])
    assert.equal(otherOf(...told), undefined, told.join());
  assert.deepEqual(dateOrderOf(new Map([['03/04/2024', 2]]), ['dmy']), { order: 'dmy', dates: 2 });
});

for (const { of, texts, order } of [
  { of: 'the year first', texts: ['2024-03-04', '2024-12-31'], order: 'ymd' },
  { of: 'a day over 12 in the first place', texts: ['03/04/2024', '31/12/2024'], order: 'dmy' },
  { of: 'a day over 12 in the second place', texts: ['03/04/2024', '12/31/2024'], order: 'mdy' },
  { of: 'ambiguous dates with slashes', texts: ['03/04/2024'], order: 'mdy' },
  { of: 'ambiguous dates with points', texts: ['03.04.2024'], order: 'dmy' },
  { of: 'short years first', texts: ['24-03-04', '24-03-05', '23-03-06'], order: 'ymd' },
  { of: 'short years last', texts: ['04.03.24', '05.03.24', '06.03.23'], order: 'dmy' },
  { of: 'short years and slashes', texts: ['03/04/24', '04/05/24', '05/06/23'], order: 'mdy' },
  { of: 'a text among them', texts: ['2024-03-04', 'never'], order: 'ymd' },
  { of: 'only text', texts: ['never'], order: undefined },
  { of: 'no text at all', texts: [], order: undefined },
])
  test(`dates with ${of} have the order ${order ?? 'none'}`, () => {
    assert.equal(dateOrderOf(new Map(texts.map(text => [text, 1])))?.order, order);
  });
