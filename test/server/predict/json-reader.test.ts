import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getHeapStatistics } from 'node:v8';
import fc from 'fast-check';
import { JsonReader, Latin1Window } from '../../../src/server/predict/json-reader.ts';
import { RequestError } from '../../../src/server/problems/problems.ts';
import { runs } from '../../support/random-tests.ts';

/** A value as `JSON.parse` would return it, built with the reader. */
function read(json: JsonReader): unknown {
  if (json.nextIsObject()) {
    const members: [string, unknown][] = [];
    if (json.enter())
      do {
        const { name } = json.name();
        members.push([name, read(json)]);
      } while (json.anotherMember());
    return Object.fromEntries(members);
  }
  if (json.nextIsList()) {
    const items: unknown[] = [];
    if (json.enter())
      do items.push(read(json));
      while (json.another());
    return items;
  }
  return json.scalar();
}

function readWhole(bytes: Buffer): unknown {
  const json = new JsonReader(bytes, 1000);
  const value = read(json);
  json.end();
  return value;
}

function skipWhole(bytes: Buffer): void {
  const json = new JsonReader(bytes, 1000);
  json.skip();
  json.end();
}

test('a value is read like JSON.parse does, and skipped exactly to its end', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), fc.constantFrom('', ' ', '\r\n\t '), (text, space) => {
      const bytes = Buffer.from(
        space + text.replaceAll(/(?<=^[^"]*(?:"[^"\\]*"[^"]*)*),/g, `${space},${space}`),
      );
      assert.deepEqual(readWhole(bytes), JSON.parse(String(bytes)));
      skipWhole(bytes);
    }),
    { numRuns: runs(500) },
  );
});

test('a number is read as the same double as by JSON.parse, in every notation', () => {
  const digits = fc.stringMatching(/^\d{1,25}$/);
  fc.assert(
    fc.property(
      fc.constantFrom('', '-'),
      fc.oneof(fc.constant('0'), fc.stringMatching(/^[1-9]\d{0,24}$/)),
      fc.option(digits),
      fc.option(fc.stringMatching(/^[eE][+-]?\d{1,3}$/)),
      (sign, whole, fraction, exponent) => {
        const text = `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${exponent ?? ''}`;
        assert.ok(Object.is(readWhole(Buffer.from(text)), JSON.parse(text)), text);
      },
    ),
    { numRuns: runs(2000) },
  );
});

test('what JSON.parse rejects is rejected, whether it is read or skipped', () => {
  // JSON with a byte changed, inserted or deleted; if it is still JSON, it must be read the same way.
  const counts = { valid: 0, invalid: 0 };
  fc.assert(
    fc.property(
      fc.json({ maxDepth: 3 }),
      fc.nat(),
      fc.constantFrom('', ...'{}[],:"\\0123.eE+-tfnu \n\u0001x'),
      fc.nat(1),
      (text, index, put, taken) => {
        const at = index % (text.length + 1);
        const broken = Buffer.from(text.slice(0, at) + put + text.slice(at + taken));
        let expected: unknown;
        try {
          expected = JSON.parse(String(broken));
        } catch {
          for (const attempt of [readWhole, skipWhole])
            assert.throws(() => attempt(broken), RequestError, String(broken));
          counts.invalid++;
          return;
        }
        assert.deepEqual(readWhole(broken), expected);
        skipWhole(broken);
        counts.valid++;
      },
    ),
    { numRuns: runs(3000) },
  );
  assert.ok(counts.valid >= 30 && counts.invalid >= 30, JSON.stringify(counts));
});

test('a string is read with its escapes, across decoding chunks, and only if it is terminated', () => {
  const long = 'x'.repeat(70_000);
  for (const value of ['', 'a', 'ä', '"', '\\', '\u0000', '😀', long, `${long}ä`])
    for (const text of [JSON.stringify(value), JSON.stringify(['y'.repeat(65_530), value, value])])
      assert.deepEqual(readWhole(Buffer.from(text)), JSON.parse(text));
  for (const text of ['"', '"\\"', '"\\', '"\\u12"', '"\\x"', '"\n"', '"a'])
    assert.throws(() => readWhole(Buffer.from(text)), RequestError, text);
});

test('members and items are counted together, and nesting is bounded', () => {
  const read = (text: string, most: number) => new JsonReader(Buffer.from(text), most).skip();
  read('{"a":[1,2,{"b":[]}]}', 5);
  assert.throws(() => read('{"a":[1,2,{"b":[]}]}', 4), /exceeds the limit of 4 members and list items/);
  read('['.repeat(32) + ']'.repeat(32), 1000);
  for (const open of ['[', '{"a":'])
    for (const deep of [open.repeat(100_000), `{"personas":${open.repeat(100_000)}`]) {
      assert.throws(() => read(deep, 1_000_000), /nested too deeply/);
      assert.throws(() => readWhole(Buffer.from(deep)), RequestError);
    }
});

test('a body of which only the beginning is read has little text in memory', () => {
  const bytes = Buffer.from(`{"id":"a report with a long name","text":"${'x'.repeat(100_000)}"}`);
  const before = getHeapStatistics().used_heap_size;
  const opened = Array.from({ length: 500 }, () => {
    const json = new JsonReader(bytes, 10);
    json.enter();
    return { json, name: json.name() };
  });
  const grown = getHeapStatistics().used_heap_size - before;
  assert.equal(opened.at(-1)?.name.name, 'id');
  assert.ok(grown < 10e6, `${grown} bytes`);
});

test('a window gives the text of any piece, within a window, across two and longer than one', () => {
  const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, index) => (index * 7) % 251));
  const window = new Latin1Window(bytes);
  const offset = fc.integer({ min: 0, max: bytes.length });
  fc.assert(
    fc.property(offset, offset, (one, other) => {
      const [start, end] = [Math.min(one, other), Math.max(one, other)];
      for (const stop of [end, Math.min(end, start + 20)])
        assert.equal(window.slice(start, stop), bytes.toString('latin1', start, stop));
    }),
  );
});
