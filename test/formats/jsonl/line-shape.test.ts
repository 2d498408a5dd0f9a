import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readShape } from '../../../src/formats/jsonl/line-shape.ts';

function source(text: string, pieceBytes = text.length) {
  const bytes = Buffer.from(text);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
  }
  return { name: 'personas.jsonl', chunks: chunks() };
}

const limits = { maxRecordBytes: 1 << 20, maxColumns: 20 };
const objectOf = (columns: number, prefix = 'c'): string =>
  `{${Array.from({ length: columns }, (_, i) => `"${prefix}${i}":1`).join()}}\n`;

test('more columns than the limit are refused, in one object or in several', async () => {
  assert.equal((await readShape(source(objectOf(20)), limits)).shape.names.length, 20);
  for (const text of [
    objectOf(21),
    `{"plan":${objectOf(21).trim()}}\n`,
    objectOf(11) + objectOf(10, 'other'),
    // In others, of which each costs as much.
    `${'{"plan":'.repeat(22)}1${'}'.repeat(22)}\n`,
  ])
    await assert.rejects(readShape(source(text), limits), {
      code: 'too_many_columns',
      message: 'the first objects have more columns than the limit of 20',
    });
});

test('names that are long only with those around them are refused; those of a line itself never are', async () => {
  const around = 'x'.repeat(1_000);
  await assert.rejects(readShape(source(`{"${around}":${objectOf(19).trim()}}\n`), limits), {
    code: 'too_many_columns',
    message:
      'the names in a line, with those of the objects around them, have more characters than the limit of 2,560',
  });
  const flat = `{"${around}1":1,"${around}2":1,"${around}3":1}\n`;
  assert.equal((await readShape(source(flat), limits)).shape.names.length, 3);
});

test('few malformed lines are parsed before the first objects, which are found behind many that are none', async t => {
  const parse = t.mock.method(JSON, 'parse');
  const lines = '{malformed}\n'.repeat(20_000);
  const { shape } = await readShape(source(lines + objectOf(10)), limits);
  assert.deepEqual(shape.names, []);
  assert.ok(parse.mock.callCount() <= 3_000, `${parse.mock.callCount()} lines`);
  parse.mock.resetCalls();
  const other = await readShape(source('[1]\n{"a":\n'.repeat(10_000) + objectOf(10)), limits);
  assert.equal(other.shape.names.length, 10);
  assert.ok(parse.mock.callCount() <= 100, `${parse.mock.callCount()} lines`);
});

test('a sender of small pieces does not choose how often the first objects are read', async t => {
  const text = objectOf(10).repeat(90);
  const parse = t.mock.method(JSON, 'parse');
  const { shape, rest } = await readShape(source(text, 1), { maxRecordBytes: 1 << 20 });
  assert.equal(shape.names.length, 10);
  assert.equal(rest.toString(), text);
  // A line and its ten names, at each of the sizes at which they are looked at.
  const atOnce = 11 * 90;
  assert.ok(parse.mock.callCount() < 10 * atOnce, `${parse.mock.callCount()} calls`);
});
