import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { learnColumn } from '../../../../src/training/rows/learn-columns.ts';
import { profileColumn } from '../../../../src/web/data/profile/profile-column.ts';

const values = (rows: number, of: (i: number) => string) => Array.from({ length: rows }, (_, i) => of(i));
const columns: Record<string, string[]> = {
  amounts: values(200, i => `${(i * 37) % 50}.5`),
  flags: values(200, i => (i % 2 === 0 ? 'yes' : 'no')),
  names: values(200, i => `name ${i}`),
  rows: values(200, i => String(i)),
  dates: values(200, i => `2024-01-${10 + (i % 19)}`),
  constant: values(200, () => 'x'),
  codes: values(200, i => `00${i % 7}`),
  empty: values(200, () => ' '),
};

describe('the profile of a column', () => {
  it('leaves out a column for the same reason as training does, whichever type is chosen', () => {
    for (const [name, given] of Object.entries(columns)) {
      const reason = (type?: 'numerical' | 'categorical' | 'date') => {
        const decision = learnColumn(name, given, type);
        return 'leftOut' in decision ? decision.leftOut : null;
      };
      const found = profileColumn(name, given, undefined);
      assert.equal(found.leftOut, reason(), name);
      for (const type of ['numerical', 'categorical', 'date'] as const)
        if (type !== found.type) assert.equal(found.leftOutAs[type], reason(type), `${name} as ${type}`);
      assert.equal(found.leftOutAs[found.type], found.leftOut);
    }
  });

  it('has a histogram of numbers and dates', () => {
    const { type, histogram } = profileColumn('x', [...(columns.amounts ?? []), 'N/A'], undefined);
    assert.equal(type, 'numerical');
    assert.deepEqual([histogram?.low, histogram?.high, histogram?.counts.length], [0.5, 49.5, 20]);
    assert.equal(
      histogram?.counts.reduce((sum, count) => sum + count),
      200,
    );
    assert.equal(profileColumn('x', [...(columns.amounts ?? []), 'N/A'], undefined).unreadable, 1);
    const days = profileColumn('x', columns.dates ?? [], undefined).histogram;
    assert.deepEqual([days?.low, days?.high], [19732, 19750]);
    assert.equal(profileColumn('x', columns.flags ?? [], undefined).histogram, null);
  });

  it('has a histogram of numbers at the ends of what can be read', () => {
    const wide = profileColumn(
      'x',
      values(50, i => (i % 2 === 0 ? '-3e38' : '3e38')),
      undefined,
    ).histogram;
    assert.deepEqual([wide?.counts[0], wide?.counts.at(-1)], [25, 25]);
    const equal = profileColumn(
      'x',
      values(50, () => '7'),
      undefined,
    ).histogram;
    assert.deepEqual(equal?.counts, [50]);
  });

  it('hints at columns that look like IDs, although they are used', () => {
    const hintOf = (name: string, of: (i: number) => string) =>
      profileColumn(name, values(200, of), undefined).hint;
    const scattered = (i: number) => String(((i * 7919) % 10007) * 13);
    assert.match(hintOf('x', scattered) ?? '', /different whole numbers, as in an ID/);
    for (const name of ['customer_id', 'customerId', 'ID', 'device uuid'])
      assert.match(hintOf(name, i => `${((i * 7919) % 10007) * 13}.5`) ?? '', /look like an ID/, name);
    for (const name of ['paid', 'valid', 'x'])
      assert.equal(
        hintOf(name, i => `${((i * 7919) % 10007) * 13}.5`),
        null,
      );
    assert.equal(
      hintOf('id', i => String(i % 5)),
      null,
    );
  });
});
