import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { namesIn } from '../../../src/formats/jsonl/members.ts';
import { MAX_DEPTH, MAX_PATH } from '../../../src/formats/jsonl/object-reader.ts';

/** The names of an object as `JSON.parse` finds them; undefined if one is there twice. */
function namesOf(object: object) {
  const [values, missing, outer]: [string[], string[], string[]] = [[], [], []];
  const add = (inner: object, path: string): void => {
    for (const [name, value] of Object.entries(inner)) {
      const isOuter = typeof value === 'object' && value !== null && !Array.isArray(value);
      if (isOuter && Object.keys(value).length > 0) {
        outer.push(path + name);
        add(value, `${path}${name}.`);
        continue;
      }
      values.push(path + name);
      if (isOuter || value === null) missing.push(path + name);
    }
  };
  add(object, '');
  const all = [...values, ...outer];
  if (new Set(all).size < all.length) return undefined;
  const length = all.reduce((sum, name) => sum + name.length, 0);
  return { members: Object.keys(object), values, missing, outer, length };
}

test('the names in an object are those that JSON.parse finds, however it is spaced', () => {
  const name = fc.constantFrom('a', 'b', 'a.b', '', '"', '{', '[', ':', ',', 'é\\', '}');
  const { value } = fc.letrec(tie => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, 1, -1.5e3, true, '', '{"x":1}', 'a,b', '\\"'),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(name, tie('value'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));
  const object = fc.dictionary(name, value, { maxKeys: 4, noNullPrototype: true });
  fc.assert(
    fc.property(object, fc.constantFrom(undefined, '\t'), (each, space) => {
      const line = Buffer.from(JSON.stringify(each, null, space).replaceAll('\n', ' '));
      assert.deepEqual(namesIn(line), namesOf(each));
    }),
  );
});

test('a line is malformed whose objects are nested too deep, or in names that are too long', () => {
  const nested = (name: string, depth: number): Buffer =>
    Buffer.from(`${`{"${name}":`.repeat(depth)}1${'}'.repeat(depth)}`);
  assert.equal(namesIn(nested('a', MAX_DEPTH))?.outer.length, MAX_DEPTH - 1);
  assert.equal(namesIn(nested('a', MAX_DEPTH + 1)), undefined);
  assert.equal(namesIn(nested('n'.repeat(MAX_PATH - 1), 2))?.values.length, 1);
  assert.equal(namesIn(nested('n'.repeat(MAX_PATH), 2)), undefined);
});

test('no more values, objects and characters of names are looked at than the limit and one name', () => {
  const line = Buffer.from(`{${Array.from({ length: 50 }, (_, i) => `"c${i}":1`).join()}}`);
  assert.equal(namesIn(line, { names: 10 })?.values.length, 11);
  assert.equal(namesIn(line, { names: 50 })?.values.length, 50);
  assert.equal(namesIn(line, { length: 10 })?.values.length, 6);
  const nested = Buffer.from(`{${Array.from({ length: 50 }, (_, i) => `"c${i}":{"a":1}`).join()}}`);
  assert.equal(namesIn(nested, { names: 10 })?.outer.length, 11);
});
