import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dateOrderOf, daysOf } from '../../src/service/dates.ts';

/** What JavaScript's own reading of a full ISO text comes to. */
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
    assert.ok(Math.abs((daysOf(text, order) ?? Number.NaN) - is) < 1e-9, String(daysOf(text, order)));
  });

for (const text of [
  '',
  '2023-02-29',
  '2024-13-01',
  '2024-00-10',
  '2024-0-10',
  '2024-01-00',
  '24-01-02',
  '2024-01/02',
  '1.2.3',
  '20240102',
  '2024-01-02x',
  '2024-01-02 25:00',
  '2024-01-02 12:61',
  '2024-01-02+01:00',
  'tomorrow',
])
  test(`"${text}" is no date`, () => {
    assert.equal(daysOf(text, 'ymd'), null);
  });

for (const { of, texts, order } of [
  { of: 'the year first', texts: ['2024-03-04', '2024-12-31'], order: 'ymd' },
  { of: 'a day over 12 in the first place', texts: ['03/04/2024', '31/12/2024'], order: 'dmy' },
  { of: 'a day over 12 in the second place', texts: ['03/04/2024', '12/31/2024'], order: 'mdy' },
  { of: 'slashes that leave it open', texts: ['03/04/2024'], order: 'mdy' },
  { of: 'points that leave it open', texts: ['03.04.2024'], order: 'dmy' },
  { of: 'both orders in one column', texts: ['31/12/2024', '12/31/2024'], order: undefined },
  { of: 'a text among dates', texts: ['2024-03-04', 'never'], order: undefined },
  { of: 'no text at all', texts: [], order: undefined },
])
  test(`dates with ${of} are read as ${order ?? 'none'}`, () => {
    assert.equal(dateOrderOf(texts), order);
  });
