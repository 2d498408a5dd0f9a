import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { wordView } from '../../../src/formats/bytes/word-view.ts';
import { type LineFault, ObjectReader } from '../../../src/formats/jsonl/object-reader.ts';
import { character, runs } from '../../support/random-tests.ts';

type Read = { fault: LineFault } | { values: (string | undefined)[] };

/** Reads an object within other bytes; a text has its quotes, and is undefined if it is missing. */
function readerOf(columns: readonly string[], allowed: readonly string[] = []): (text: string) => Read {
  const reader = new ObjectReader(columns, allowed);
  return text => {
    const line = Buffer.from(text);
    const bytes = Buffer.concat([Buffer.from('}{"'), line, Buffer.from(',"x":1}')]);
    const into = { starts: new Int32Array(columns.length + 1), ends: new Int32Array(columns.length + 1) };
    let all = bytes;
    const fault = reader.read({ words: wordView(bytes), start: 3, end: 3 + line.length }, into, 1, kept => {
      all = Buffer.concat([all, Buffer.from(`"${kept}`)]);
      return all.length - Buffer.byteLength(kept);
    });
    if (fault !== undefined) return { fault };
    const values = columns.map((_, i) => {
      const [start, end] = [into.starts[i + 1] ?? 0, into.ends[i + 1] ?? 0];
      if (start === 0) return undefined;
      const value = all.toString('utf8', start, end);
      return all[start - 1] === 0x22 ? JSON.stringify(value) : value;
    });
    return { values };
  };
}

/** What `JSON.parse` makes of a line, by the full names of members. */
function parsed(text: string): Map<string, unknown> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const found = new Map<string, unknown>();
  const add = (object: object, path: string): void => {
    for (const [name, own] of Object.entries(object)) {
      found.set(path + name, own);
      if (typeof own === 'object' && own !== null && !Array.isArray(own)) add(own, `${path}${name}.`);
    }
  };
  add(value, '');
  return found;
}

const names = ['a', 'b', 'ü', 'a.b', 'quote"', 'a.c.d'];
const text = fc.string({ unit: character, maxLength: 6 });
const { tree: value } = fc.letrec(tie => ({
  tree: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, true, false, '', '34', -0, 1.5, 1e300, 12),
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(fc.constantFrom('a', 'b', 'c', 'd'), text), tie('tree'), { maxKeys: 4 }),
  ),
}));
const object = fc.dictionary(fc.oneof(fc.constantFrom('a', 'b', 'ü', 'quote"'), text), value, { maxKeys: 6 });

describe('objects of JSON lines', () => {
  it('have the values that JSON.parse finds, in any order of members and with any spaces', () => {
    const read = readerOf(names);
    fc.assert(
      fc.property(
        fc.array(object, { maxLength: 4 }),
        fc.constantFrom(undefined, ' ', '\t'),
        (objects, space) => {
          for (const own of objects) {
            // No member is named like a path here, and none like an appended one.
            const line = JSON.stringify(own, null, space).replaceAll('\n', ' ');
            const result = read(line);
            if ('fault' in result) {
              assert.notEqual(result.fault, 'bad_json', line);
              continue;
            }
            const expected = parsed(line);
            for (const [i, name] of names.entries()) {
              const wanted = expected?.get(name) ?? null;
              const own: unknown = JSON.parse(result.values[i] ?? 'null');
              assert.deepEqual(own, wanted, line);
            }
          }
        },
      ),
      { numRuns: runs(20_000) },
    );
  });

  it('are refused exactly when JSON.parse refuses them, or when they are no objects', () => {
    const read = readerOf(names);
    const changed = fc.tuple(
      object,
      fc.nat(),
      fc.constantFrom(
        '',
        '"',
        '\\',
        ',',
        ':',
        '{',
        '}',
        '[',
        ']',
        '0',
        '.',
        'e',
        '-',
        ' ',
        '\u0001',
        'n',
        '\\u00e4',
      ),
      fc.nat(2),
    );
    fc.assert(
      fc.property(changed, ([own, place, inserted, removed]) => {
        const whole = JSON.stringify(own);
        const at = place % (whole.length + 1);
        const line = Buffer.from(whole.slice(0, at) + inserted + whole.slice(at + removed)).toString();
        const result = read(line);
        const isBad = 'fault' in result && result.fault === 'bad_json';
        assert.equal(isBad, parsed(line) === undefined, line);
      }),
      { numRuns: runs(50_000) },
    );
  });

  it('may not have a member twice, however it is written', () => {
    const read = readerOf(names);
    for (const line of [
      '{"a":1,"a":1}',
      '{"x":1,"y":{"z":2,"z":3}}',
      '{"a":{"b":1},"a.b":2}',
      '{"a.b":2,"a":{"b":1}}',
      '{"u.v":2,"u":{"v":1}}',
      '{"b":1,"\\u0062":2}',
      '{"\\u0079":1,"y":2}',
    ])
      assert.deepEqual(read(line), { fault: 'repeated_member' }, line);
    assert.deepEqual(read('{"l":[{"z":1,"z":2}],"a":"x"}'), {
      values: ['"x"', undefined, undefined, undefined, undefined, undefined],
    });
    const many = `{${Array.from({ length: 12_000 }, (_, i) => `"m${i}":${i}`).join(',')}`;
    assert.ok('values' in read(`${many}}`));
    assert.deepEqual(read(`${many},"m11999":1}`), { fault: 'repeated_member' });
  });

  it('may have half of a surrogate pair only where no column is, because it would be U+FFFD', () => {
    const read = readerOf(['a', 'l']);
    for (const half of ['\\ud83d', 'x\\ude00', '\\ude00\\ud83d', '\\ud83dx', '\\uD83D\\n'])
      assert.deepEqual(read(`{"a":"${half}"}`), { fault: 'half_pair' }, half);
    const named = readerOf(['a', '\ud83d', 'a.\ude00']);
    assert.deepEqual(named('{"a":"x","\\ud83d":1}'), { fault: 'half_pair' });
    assert.deepEqual(named('{"a":{"\\ude00":1}}'), { fault: 'half_pair' });
    assert.ok('values' in named('{"a":"x","\\ud83e":1}'));
    assert.deepEqual(read('{"a":"\\ud83d\\ude00","b":"\\ud83d","l":["\\ud83d"]}'), {
      values: ['"😀"', '["\\ud83d"]'],
    });
  });

  it('may not have been scored before, unless such a member is one of the input', () => {
    assert.deepEqual(readerOf(['a'])('{"a":1,"probability_yes":0.5}'), { fault: 'scored_before' });
    assert.deepEqual(readerOf(['probability_yes'], ['probability_yes'])('{"a":1,"probability_yes":0.5}'), {
      values: ['0.5'],
    });
  });

  it('have the values of their columns, however many other members were seen before', () => {
    const read = readerOf(['late', 'a.late']);
    for (let from = 0; from < 30_000; from += 1000) {
      const ids = Array.from({ length: 1000 }, (_, i) => `"id${from + i}":1`).join(',');
      assert.ok('values' in read(`{"a":{${ids}}}`));
    }
    assert.deepEqual(read('{"l\\u0061te":1,"a":{"late":"x"}}'), { values: ['1', '"x"'] });
    assert.deepEqual(read('{"late":2,"a":{"l\\u0061te":3}}'), { values: ['2', '3'] });
    assert.deepEqual(read('{"late":2,"l\\u0061te":3}'), { fault: 'repeated_member' });
    assert.deepEqual(read('{"probability_yes":1}'), { fault: 'scored_before' });
    assert.deepEqual(readerOf(['x.y'])('{"x":{"y":1}}'), { values: ['1'] });
  });

  it('may be nested, but not without end', () => {
    const read = readerOf(['x']);
    const nested = (depth: number): string => `{"x":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    assert.deepEqual(read(nested(200)), { values: [`${'['.repeat(200)}${']'.repeat(200)}`] });
    assert.deepEqual(read(nested(500_000)), { fault: 'too_deep' });
  });
});
