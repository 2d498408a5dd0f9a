import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { HistoryOptions } from '../../../src/training/rows/read-history.ts';
import { historyOf } from './history-of.ts';

const read = (t: TestContext, lines: readonly unknown[], options: Partial<HistoryOptions> = {}) =>
  historyOf(t, { 'history.jsonl': lines.map(line => `${JSON.stringify(line)}\n`).join('') }, options);

const early = Array.from({ length: 100 }, (_, x) => ({ x, y: x % 2 ? 'a' : 'b' }));
const late = Array.from({ length: 20 }, (_, x) => ({ x, y: 'a', plan: { price: x + 0.5 }, tag: 't' }));

describe('A member of JSON lines that the first 100 objects do not have', () => {
  it('is named in a note', async t => {
    const { header, notes } = await read(t, [...early, ...late]);
    assert.deepEqual(header, ['x', 'y']);
    assert.deepEqual(notes, [
      'Left out 2 members that the first objects do not have: "plan.price", "tag". To use one, name it with --types or --features.',
    ]);
  });

  it('is used if an option names it', async t => {
    const chosen = await read(t, [...early, ...late], { features: ['x', 'plan.price'] });
    assert.deepEqual(chosen.header, ['x', 'y', 'plan.price']);
    assert.deepEqual(
      [chosen.rows[0], chosen.rows.at(-1)],
      [
        ['0', 'b', ''],
        ['19', 'a', '19.5'],
      ],
    );
    assert.deepEqual(chosen.notes, []);
    const typed = await read(t, [...early, ...late], { types: { tag: 'categorical' } });
    assert.equal(typed.rows.at(-1)?.[2], 't');
    assert.match(typed.notes.join(), /1 member that .*: "plan\.price"\./);
  });

  it('may be the predicted one', async t => {
    const { rows } = await read(t, [...early, ...late], { predict: 'tag' });
    assert.equal(rows.length, 20);
  });

  it('is refused if no object has it, and similar names are listed, late ones too', async t => {
    const all = [...early, ...late];
    await assert.rejects(read(t, all, { features: ['plan.prize'] }), {
      code: 'no_such_column',
      hint: /Did you mean "plan\.price"\?/,
    });
    await assert.rejects(read(t, all, { predict: 'z' }), {
      code: 'no_such_column',
      message: /"z" to predict/,
    });
    await assert.rejects(read(t, early, { excludeFeatures: ['tag'] }), { code: 'no_such_column' });
  });
});
