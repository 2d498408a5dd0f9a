import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foldedTargets, learnTargets } from '../../../../src/training/learn/features/target-encoding.ts';
import { seededRandom } from '../../../../src/training/seeded-random.ts';

test("a level's share is shrunk towards the overall share, more so for rarer levels", () => {
  const levels = Float64Array.from({ length: 101 }, (_, row) => (row === 0 ? 2 : 1));
  const labels = Uint8Array.from({ length: 101 }, (_, row) => (row === 0 || row % 2 === 0 ? 1 : 0));
  const rows = Int32Array.from(levels, (_, row) => row);
  const [many, one, other] = learnTargets({ levels, labels, classes: 2, rows }, 2).map(own => own[0] ?? 0);
  const all = 51 / 101;
  assert.ok(Math.abs((many ?? 0) - (50 + 20 * all) / 120) < 1e-12);
  assert.ok(Math.abs((one ?? 0) - (1 + 20 * all) / 21) < 1e-12);
  assert.ok(Math.abs((other ?? 0) - all) < 1e-12);
});

test("a training row's encoding does not depend on its own class", () => {
  const levels = Float64Array.from({ length: 60 }, (_, row) => 1 + (row % 20));
  const labels = Uint8Array.from({ length: 60 }, (_, row) => row % 2);
  const rows = Int32Array.from(levels, (_, row) => row);
  const numberOf = (row: number, label: number) => {
    const changed = labels.with(row, label);
    const [own] = foldedTargets({ levels, labels: changed, classes: 2, rows }, 20, seededRandom(1));
    return own?.[row];
  };
  for (const row of [0, 7, 33]) assert.equal(numberOf(row, 0), numberOf(row, 1));
});
