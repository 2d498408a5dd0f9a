import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { wordView } from '../../../src/formats/bytes/word-view.ts';
import { placeRecords } from '../../../src/formats/columns/place-records.ts';
import { lineLayout } from '../../../src/formats/jsonl/jsonl-layout.ts';
import { KernelMembers } from '../../../src/formats/jsonl/kernel-members.ts';
import { ObjectReader } from '../../../src/formats/jsonl/object-reader.ts';
import type { Batch } from '../../../src/formats/records/batch.ts';
import type { Fields } from '../../../src/formats/records/fields.ts';
import { kernelMemory } from '../../support/csv/read.ts';
import { appendedOptions, assertMergedAlike, probability } from '../../support/merged.ts';
import { character, runs } from '../../support/random-tests.ts';

const shape = {
  bom: 0,
  names: ['a', 'long name of a member', 'ü', 'n.m', 'absent'],
  members: ['a'],
  allowed: ['probability_own'],
  last: [],
  values: [],
  absent: [],
};
/** The names that lines may have, if others are faults. */
const closed = fc.constantFrom(undefined, ['a', 'ü', 'b', 'n']);

/** Names as most lines have them, and others. */
const usual = ['"a"', '"long name of a member"', '"b"', '"ü"', '"n.m"', '"probability_own"'];
const name = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...usual) },
  fc.constantFrom('"n"', '"\\u0061"', '"probability_yes"', '""', '"long name of a member "', '"a'),
  fc.nat(100).map(number => `"member ${number}"`),
);
const value = fc.oneof(
  {
    weight: 80,
    arbitrary: fc.constantFrom(
      ...['"x"', '""', '"ü"', '"a longer text, with {braces}: 1"', 'null', 'true', 'false'],
      ...['0', '12', '-0.75', '1.50', '-0'],
    ),
  },
  fc.constantFrom(
    '01',
    '1.',
    '.5',
    '-',
    '+1',
    '1e5',
    '1E-7',
    '1e',
    'nul',
    'nulll',
    'tru',
    'falsy',
    'NaN',
    '',
  ),
  fc.constantFrom(
    '{"m":1}',
    '{}',
    '[1,"]"]',
    '[',
    '"\\n"',
    '"\\u00fc \\"\\ud83d\\ude00 "',
    '"\\ud83d"',
    '"x\\t\\',
    '"\\',
    '"\\"',
    '"\\x"',
    '"\t"',
    '"',
    '"\u007f"',
  ),
  fc.string({ unit: character }).map(text => JSON.stringify(text)),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(number => JSON.stringify(number)),
);
const space = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom('', ' ') },
  fc.constantFrom('\t', '  ', '\r'),
);

const pairs = fc.oneof(
  // In one order, in which some are left out.
  {
    weight: 12,
    arbitrary: fc
      .subarray(usual)
      .chain(names => fc.tuple(...names.map(own => fc.tuple(fc.constant(own), value)))),
  },
  fc.uniqueArray(fc.tuple(name, value), { selector: ([own]) => own, maxLength: 8 }),
  fc.array(fc.tuple(name, value), { maxLength: 4 }),
);
const object = fc
  .tuple(pairs, space, space, space)
  .map(
    ([members, before, between, after]) =>
      `{${after}${members.map(([own, text]) => `${own}${after}:${before}${text}`).join(`${after},${between}`)}${after}}${after}`,
  );
const line = fc.oneof(
  { weight: 30, arbitrary: object },
  fc.constantFrom(
    '',
    ' ',
    'null',
    '{',
    '{}}',
    '{},',
    '{"a":1}{"a":1}',
    '{"a":1,}',
    '{,}',
    '{"a" 1}',
    '\ufeff{}',
  ),
);
const lines = fc.array(
  fc.tuple(
    line,
    fc.constantFrom('\n', '\n', '\r\n'),
    // A byte that is put in place of another one.
    fc.oneof(
      { weight: 15, arbitrary: fc.constant(undefined) },
      fc.tuple(fc.nat(), fc.constantFrom(0, 0x22, 0x2c, 0x5c, 0x7d, 0x80, 0xff)),
    ),
  ),
  { maxLength: 20 },
);

const bytesOf = (given: readonly [string, string, [number, number] | undefined][]): Buffer =>
  Buffer.concat(
    given.map(([text, ending, change]) => {
      const bytes = Buffer.from(text + ending);
      if (change !== undefined) bytes[change[0] % bytes.length] = change[1];
      return bytes;
    }),
  );

function batchesOf(bytes: Buffer, batchRows: number): Batch[] {
  const limits = { batchRows, batchBytes: () => 1 << 20, maxRecordBytes: 1 << 20 };
  const layout = lineLayout({ shape });
  const reader = layout.records({ ...limits, start: layout.start, file: 'in.jsonl' });
  return [...reader.push(bytes), ...reader.end()];
}

/** The values of a batch, with the quote of a text; those that are missing are empty. */
function valuesOf({ rows, width, bytes, starts, ends }: Fields): string[] {
  return Array.from({ length: rows * width }, (_, i) => {
    const [start = 0, end = 0] = [starts[i], ends[i]];
    return start === 0 ? '' : bytes.toString('latin1', bytes[start - 1] === 0x22 ? start - 1 : start, end);
  });
}

it('a kernel finds the values of lines as TypeScript does, however they are cut into batches', () => {
  fc.assert(
    fc.property(lines, closed, fc.boolean(), fc.integer({ min: 1, max: 30 }), (given, names, isCut, rows) => {
      const whole = bytesOf(given);
      const batches = batchesOf(isCut ? whole.subarray(0, -1) : whole, rows);
      const layout = lineLayout({ shape: { ...shape, closed: names } });
      const inTypeScript = layout.fieldReader();
      const inKernel = layout.fieldReader(kernelMemory);
      for (const batch of batches) {
        kernelMemory.clear();
        const [expected, found] = [inTypeScript(batch), inKernel(batch)];
        assert.deepEqual([...found.faults], [...expected.faults]);
        assert.deepEqual(valuesOf(found), valuesOf(expected));
      }
    }),
    { numRuns: runs(2000, 500) },
  );
});

it('a kernel merges lines with what is appended as TypeScript does', () => {
  fc.assert(
    fc.property(
      ...[lines, appendedOptions, fc.infiniteStream(probability), fc.nat()],
      (given, options, numbers: Iterator<number>, split) =>
        assertMergedAlike(lineLayout({ shape }), batchesOf(bytesOf(given), 5), options, numbers, split),
    ),
    { numRuns: runs(2000, 500) },
  );
});

it('a kernel finds the values of simple lines in any order of their members, some of which are absent', () => {
  const texts = [
    '{"a":1,"b":"x","ü":null}',
    '{"a":-1.5,"b":"ü","ü":true}',
    '{ "ü": 0, "a": "" }',
    '{"b":"\\u00fc","a":false}\r',
    '{"a":"\\"quoted\\"\\ud83d\\ude00"}',
    '{}',
    '{"b":"x" , "ü" : "y"}',
  ];
  const [batch] = batchesOf(Buffer.from(`${texts.join('\n')}\n`), 100);
  assert.ok(batch);
  const width = 2;
  const reader = new ObjectReader(['ü', 'a'], []);
  const members = new KernelMembers(kernelMemory);
  kernelMemory.clear();
  const placed = placeRecords(kernelMemory, batch, batch.bytes.length);
  const [starts, ends] = [0, 0].map(() => kernelMemory.reserve(4 * width * texts.length)) as [number, number];
  const find = (index: number): number => {
    const from = { index, row: index, records: texts.length, texts: batch.bytes.length };
    return members.find(reader.members, placed, from, { starts, ends, width }).next;
  };
  assert.equal(find(0), 0);
  const into = { starts: new Int32Array(width), ends: new Int32Array(width) };
  reader.read({ words: wordView(batch.bytes), start: 0, end: batch.ends[0] ?? 0 }, into, 0, () => 0);
  assert.equal(find(1), texts.length);
});
