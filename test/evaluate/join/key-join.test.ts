import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type JoinCounts,
  KeyJoin,
  type KeyProblem,
  UNKNOWN_LABEL,
} from '../../../src/evaluate/join/key-join.ts';
import { hashKeys, type KeyedRows } from '../../../src/evaluate/join/keyed-rows.ts';
import { wordView } from '../../../src/formats/bytes/word-view.ts';

type LabelRow = readonly [key: string, label: number];
type ScoredRow = readonly [key: string, score: number];

/** What a join finds, in any order. */
interface Found {
  matches: string[];
  others: number[];
  problems: string[];
  counts: JoinCounts;
}

/** Rows as a batch has them, with a byte before each key. */
function keyed(rows: readonly { key: string; numbers: readonly number[] }[]): KeyedRows {
  const starts = new Int32Array(rows.length);
  const ends = new Int32Array(rows.length);
  let text = '';
  for (const [index, { key }] of rows.entries()) {
    text += ',';
    starts[index] = Buffer.byteLength(text);
    text += key;
    ends[index] = Buffer.byteLength(text);
  }
  const numbers = Float64Array.from(rows.flatMap(row => row.numbers));
  const keys = { rows: rows.length, words: wordView(Buffer.from(text)), starts, ends };
  const hashes = new Int32Array(rows.length);
  hashKeys({ ...keys, hashes });
  return { ...keys, hashes, numbers };
}

/** Joins rows in batches of `size`, with two numbers for each scored row: its index and its score. */
function joined(
  labels: readonly LabelRow[],
  scored: readonly ScoredRow[],
  { maxBytes, size = 7 }: { maxBytes?: number; size?: number } = {},
): Found {
  const found: Omit<Found, 'counts'> = { matches: [], others: [], problems: [] };
  const join = new KeyJoin({
    width: 2,
    maxBytes,
    results: {
      onMatch: (label, numbers, at) =>
        void found.matches.push(`${numbers[at]}: ${numbers[at + 1]} is ${label}`),
      onOther: (numbers, at) => void found.others.push(numbers[at] ?? -1),
      onProblem: (problem, { key, place, labelRows, scoredRows }) =>
        void found.problems.push(`${problem} ${key} ${place} ${labelRows} ${scoredRows}`),
    },
  });
  const labelRows = labels.map(([key, label], place) => ({ key, numbers: [label, place, 1] }));
  const scoredRows = scored.map(([key, score], index) => ({ key, numbers: [index, score] }));
  try {
    for (let from = 0; from < labels.length; from += size)
      join.addLabels(keyed(labelRows.slice(from, from + size)));
    for (let from = 0; from < scored.length; from += size)
      join.addScored(keyed(scoredRows.slice(from, from + size)));
    join.end();
  } finally {
    join.close();
  }
  const { counts } = join;
  return {
    matches: found.matches.sort(),
    others: found.others.sort((a, b) => a - b),
    problems: found.problems.sort(),
    counts,
  };
}

/** The same by a `Map` of all rows of each key. */
function reference(labels: readonly LabelRow[], scored: readonly ScoredRow[]): Found {
  const found: Found = {
    matches: [],
    others: [],
    problems: [],
    counts: { labelsWithoutKey: 0, scoredWithoutKey: 0, scoredWithoutLabel: 0 },
  };
  const byKey = new Map<string, { values: Set<number>; rows: number; place: number; scored: number[] }>();
  for (const [place, [key, label]] of labels.entries()) {
    if (key === '') found.counts.labelsWithoutKey++;
    else {
      const entry = byKey.get(key) ?? { values: new Set(), rows: 0, place, scored: [] };
      entry.values.add(label);
      entry.rows++;
      byKey.set(key, entry);
    }
  }
  for (const [index, [key]] of scored.entries()) {
    const entry = byKey.get(key);
    if (key === '') found.counts.scoredWithoutKey++;
    else if (entry === undefined) found.counts.scoredWithoutLabel++;
    else entry.scored.push(index);
    if (entry === undefined) found.others.push(index);
  }
  for (const [key, { values, rows, place, scored: at }] of byKey) {
    const [label = Number.NaN] = values;
    const problem = ((): KeyProblem | undefined => {
      if (values.size > 1) return 'conflicting_labels';
      if (at.length === 0) return 'not_scored';
      if (label === UNKNOWN_LABEL) return 'unknown_label';
      if (at.length > 1) return 'scored_twice';
      return rows > 1 ? 'label_twice' : undefined;
    })();
    if (problem !== undefined) found.problems.push(`${problem} ${key} ${place} ${rows} ${at.length}`);
    if (problem === undefined || problem === 'label_twice')
      found.matches.push(`${at[0]}: ${scored[at[0] ?? -1]?.[1]} is ${label}`);
    else found.others.push(...at);
  }
  found.matches.sort();
  found.others.sort((a, b) => a - b);
  found.problems.sort();
  return found;
}

const key = fc.oneof(
  fc.constantFrom('', 'a', 'b', 'ab', '1', '01', '1.0', ' 1', 'é', 'customer-1', 'customer-2'),
  fc.nat(60).map(String),
  fc.nat(500).map(number => `customer-${String(number).padStart(8, '0')}`),
  fc.string({ maxLength: 40 }),
);
const label = fc.oneof({ weight: 6, arbitrary: fc.constantFrom(0, 1, 2) }, fc.constant(UNKNOWN_LABEL));

describe('KeyJoin', () => {
  it('finds what a Map of all rows finds, however often rows are divided', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(key, label), { maxLength: 300, size: 'max' }),
        fc.array(fc.tuple(key, fc.double({ min: 0, max: 1, noNaN: true })), { maxLength: 300, size: 'max' }),
        fc.constantFrom(undefined, 1 << 12, 1 << 14),
        fc.integer({ min: 1, max: 400 }),
        (labels, scored, maxBytes, size) =>
          assert.deepEqual(
            joined(labels, scored, { ...(maxBytes && { maxBytes }), size }),
            reference(labels, scored),
          ),
      ),
    );
  });

  it('divides the rows of many keys again and again, with the same result', () => {
    const labels = Array.from(
      { length: 5_000 },
      (_, index): LabelRow => [`key ${(index * 7919) % 4_000}`, index % 2],
    );
    const scored = Array.from(
      { length: 7_000 },
      (_, index): ScoredRow => [`key ${(index * 104_729) % 6_000}`, index],
    );
    const expected = reference(labels, scored);
    assert.ok(expected.matches.length > 1_700 && expected.problems.length > 1_000);
    assert.deepEqual(joined(labels, scored, { maxBytes: 1 << 13, size: 3_000 }), expected);
    assert.deepEqual(joined(labels, scored, { maxBytes: 1 << 18, size: 3_000 }), expected);
    assert.deepEqual(joined(labels, scored, { size: 3_000 }), expected);
  });

  it('does not evaluate a key that has two labels, or was scored twice, because nothing says which is meant', () => {
    const labels: LabelRow[] = [
      ['a', 1],
      ['b', 0],
      ['a', 0],
      ['c', 1],
      ['c', 1],
    ];
    const scored: ScoredRow[] = [
      ['a', 0.1],
      ['b', 0.2],
      ['b', 0.3],
      ['c', 0.4],
    ];
    assert.deepEqual(joined(labels, scored), {
      matches: ['3: 0.4 is 1'],
      others: [0, 1, 2],
      problems: ['conflicting_labels a 0 2 1', 'label_twice c 3 2 1', 'scored_twice b 1 1 2'],
      counts: { labelsWithoutKey: 0, scoredWithoutKey: 0, scoredWithoutLabel: 0 },
    });
  });

  it('joins no labels, and no scored rows', () => {
    const counts = { labelsWithoutKey: 0, scoredWithoutKey: 0, scoredWithoutLabel: 1 };
    assert.deepEqual(joined([], [['a', 0.5]]), { matches: [], others: [0], problems: [], counts });
    assert.deepEqual(joined([['a', 1]], []).problems, ['not_scored a 0 1 0']);
  });
});
