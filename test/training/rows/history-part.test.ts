import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { MAX_ROWS } from '../../../src/training/rows/read-history.ts';
import { parquetOf } from '../../support/parquet.ts';
import { slow } from '../../support/slow.ts';
import { historyOf as read } from './history-of.ts';

/** What was read, without the digest of the files. */
const rowsIn = async (...given: Parameters<typeof read>) => {
  const { sha256, ...history } = await read(...given);
  return { ...history, isHashed: sha256 !== null };
};

const lines = (objects: readonly unknown[]): string =>
  objects.map(object => `${JSON.stringify(object)}\n`).join('');

describe('training data in several files', () => {
  it('is read as if it were in one, whatever ends the files', async t => {
    const whole = await rowsIn(t, { 'all.csv': 'x,y\n1,a\n2,b\n\n3,"c\n"\n,\n4,a\n' });
    assert.deepEqual(
      await rowsIn(t, {
        'a.csv': 'x,y\r\n1,a',
        'b.csv': '\uFEFFx,y\n2,b\n',
        'c.csv': 'x,y\n\n3,"c\n"\n,\n4,a',
      }),
      whole,
    );
    const zipped = { 'a.csv.gz': gzipSync('x,y\n1,a\n'), 'none.csv': 'x,y\n', 'b.tsv': 'x\ty\n2\tb\n' };
    const { rows } = await read(t, { ...zipped, 'c.parquet': await parquetOf('x,y\n3,c\n4,a\n') });
    assert.deepEqual(rows, [
      ['1', 'a'],
      ['2', 'b'],
      ['3', 'c'],
      ['4', 'a'],
    ]);
  });

  it('may have its columns in another order, and names twice', async t => {
    const { header, column, rows } = await read(t, {
      'a.csv': 'x,y,x,\n1,a,2,i\n',
      'b.csv': 'y,,x,x\nb,j,3,4\n',
      'c.csv': 'x,x,y,\n5,6,,k\n7,8,c,l\n',
    });
    assert.deepEqual([header, column], [['x', 'y', 'x', ''], 1]);
    assert.deepEqual(rows, [
      ['1', 'a', '2', 'i'],
      ['3', 'b', '4', 'j'],
      ['7', 'c', '8', 'l'],
    ]);
  });

  it('has the same columns in all of them', async t => {
    const first = { 'a.csv': 'x,z,y\n1,2,a\n' };
    const refusals = [
      ['x,y\n1,a\n', /^the columns are not those of \S+a\.csv: it lacks "z"$/],
      ['x,z,y,w\n1,2,a,3\n', /: it has "w" more$/],
      ['x,y,w\n1,a,3\n', /: it lacks "z" and it has "w" more$/],
      ['x,x,z,y\n1,1,2,a\n', /: it has "x" more$/],
    ] as const;
    for (const [text, message] of refusals)
      await assert.rejects(read(t, { ...first, 'b.csv': text }), (error: unknown) => {
        assert.ok(error instanceof Error && 'code' in error && 'location' in error);
        assert.match(error.message, message);
        assert.equal(error.code, 'other_columns');
        assert.match(JSON.stringify(error.location), /b\.csv/);
        return true;
      });
    await assert.rejects(read(t, { ...first, 'b.csv': '3,4,b\n' }), {
      code: 'other_columns',
      hint: /needs its own header line/,
    });
    const { rows } = await read(t, { 'a.csv': '1,2,a\n', 'b.csv': '3,4,b\n' }, { names: ['x', 'z', 'y'] });
    assert.equal(rows.length, 2);
  });

  it('is named where something is wrong with a row', async t => {
    const files = { 'a.csv': 'x,y\n1,a\n', 'b.csv': 'x,y\n2,b\n3\n4,b,c\n' };
    await assert.rejects(read(t, files), (error: unknown) => {
      assert.ok(error instanceof Error && 'location' in error);
      assert.match(JSON.stringify(error.location), /b\.csv","line":3/);
      return true;
    });
    const both = { 'a.csv': 'x,y\n1,a\n3\n', 'b.csv': 'x,y\n2,b\n3\n' };
    const allowed = await read(t, both, { maxRejects: { rows: 2 } });
    assert.ok(allowed.notes.includes('Left out 2 malformed rows: 2 × too_few_fields.'));
    const many = { 'a.csv': `x,y\n${'1,a\n'.repeat(60)}`, 'b.csv': 'x,y\n7,Total\n' };
    assert.match((await read(t, many)).notes.join(), /"Total" \(1 row, b\.csv, line 2\)/);
    const long = `x,y\n"${'1\n'.repeat(2000)}",a\n`;
    assert.match(
      (await read(t, { 'a.csv': 'x,y\n1,a\n', 'b.csv': long })).notes.join(),
      /opens on line 2 of \S*b\.csv has/,
    );
  });

  it('has a digest of the files and their order, which is that of the file if there is one', async t => {
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
    const [a, b] = ['x,y\n1,a\n', 'x,y\n2,b\n'];
    assert.equal((await read(t, { a })).sha256, sha256(a));
    assert.equal((await read(t, { a, b })).sha256, sha256(`${sha256(a)}\n${sha256(b)}\n`));
    assert.notEqual((await read(t, { b, a })).sha256, (await read(t, { a, b })).sha256);
  });
});

describe('JSON lines in several files', () => {
  const objects = Array.from({ length: 240 }, (_, x) => ({
    ...(x % 7 && { x }),
    ...(x < 130 ? { plan: 'p' } : { plan: { price: x } }),
    ...(x > 150 && { late: 1 }),
    y: x % 2 ? 'a' : 'b',
  }));
  const divided = {
    'a.jsonl': lines(objects.slice(0, 120)),
    'b.jsonl': `\uFEFF${lines(objects.slice(120, 200))}`,
  };
  const files = { ...divided, 'c.jsonl': lines(objects.slice(200)) };

  it('are read as if they were in one, with members that come later and members that are gone', async t => {
    for (const options of [{}, { types: { late: 'categorical' } }, { features: ['x', 'late'] }] as const)
      assert.deepEqual(
        await rowsIn(t, files, options),
        await rowsIn(t, { 'all.jsonl': lines(objects) }, options),
      );
  });

  it('have at least one of the columns each', async t => {
    const other = { ...divided, 'c.jsonl': lines([{ message: 'Unauthorized' }]) };
    await assert.rejects(read(t, other), { code: 'other_columns', message: /and it has "message" more$/ });
  });

  it('are read next to a CSV with the same columns', async t => {
    const rows = lines([{ y: 'b', x: 2 }, { x: 3, y: 'c' }, { x: 4 }]);
    const csvFirst = await read(t, { 'a.csv': 'x,y\n1,a\n', 'b.jsonl': rows });
    assert.deepEqual(csvFirst.rows, [
      ['1', 'a'],
      ['2', 'b'],
      ['3', 'c'],
    ]);
    const linesFirst = await read(t, { 'b.jsonl': rows, 'a.csv': 'x,y\n1,a\n' });
    assert.deepEqual(linesFirst.rows.at(-1), ['a', '1']);
    const lacking = read(t, { 'a.csv': 'x,y,z\n1,a,2\n', 'b.jsonl': rows }, { features: ['x', 'z'] });
    await assert.rejects(lacking, { code: 'other_columns', message: /it lacks "z"$/ });
  });
});

slow('a sample of divided training data is that of the whole', async t => {
  const rows = Array.from({ length: 1.2 * MAX_ROWS }, (_, i) => `${i},${i % 3 ? 'a' : 'b'}\n`);
  const parts = [0, 1, 50_000, 119_999].map((from, index, all) => rows.slice(from, all[index + 1]));
  const files = Object.fromEntries(parts.map((part, index) => [`${index}.csv`, `x,y\n${part.join('')}`]));
  const whole = await rowsIn(t, { 'all.csv': `x,y\n${rows.join('')}` });
  assert.ok(whole.rows.length < rows.length);
  assert.deepEqual(await rowsIn(t, files), whole);
});

test('an empty file among the files is refused', async t => {
  await assert.rejects(read(t, { 'a.csv': 'x,y\n1,a\n', 'b.csv': '' }), { code: 'empty_input' });
});
