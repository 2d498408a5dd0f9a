import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { BatchMemory } from '../../../src/base/kernel/batch-memory.ts';
import type { LearnedColumn } from '../../../src/formats/columns/column-encoder.ts';
import { PersonaReader } from '../../../src/server/predict/encode-personas.ts';
import { JsonReader } from '../../../src/server/predict/json-reader.ts';
import { RequestError } from '../../../src/server/problems/problems.ts';
import { character, runs } from '../../support/random-tests.ts';

const columns: LearnedColumn[] = [
  { name: 'amount', type: 'numerical', notation: 'point' },
  { name: 'betrag', type: 'numerical', notation: 'comma' },
  {
    name: 'plan',
    type: 'categorical',
    levels: ['a', 'é', '"q"', 'true', '1', '1.5', ' b', 'a\\nb', 'a\nb', '😀'],
  },
  { name: 'größe', type: 'categorical', levels: ['S', '-1', '10', 'null'], others: 'merged' },
  { name: 'day', type: 'date', piece: 'day', order: 'ymd' },
  { name: 'day', type: 'date', piece: 'hour', order: 'ymd' },
];

const memory = BatchMemory.create();
assert.ok(memory);
const inKernel = new PersonaReader(columns, memory);
const inTypeScript = new PersonaReader(columns);

/** Values of JSON as clients write them, and as none should. */
const value = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom('"a"', '"S"', '12', '-0.75', '"2026-11-27"', 'null', '""', '1', '1.5', '10'),
  },
  fc.constantFrom(
    'true',
    'false',
    '1.0',
    '-0',
    '-1',
    '1e3',
    '1e999',
    '01',
    '1.',
    '-',
    '"1,5"',
    '"1.234"',
    '"1e3"',
    '" b"',
    '"b"',
  ),
  fc.constantFrom(
    '"\\u00e9"',
    '"é"',
    '"\\"q\\""',
    '"a\\nb"',
    '"a\\\\nb"',
    '"\\ud83d\\ude00"',
    '"\\ud83d"',
    '"\\udc00"',
    '"\\x"',
    '"\\u00g0"',
    '"\\/\\b\\f\\r\\t"',
  ),
  fc.constantFrom('{}', '[1]', '{"a":[{}]}', 'nul', 'xalse', '"\u0001"', '"'),
  fc.string({ unit: character }).map(text => JSON.stringify(text)),
  fc.double().map(String),
  fc.integer().map(String),
);
const usualNames = ['"amount"', '"betrag"', '"plan"', '"größe"', '"day"', '"nothing"'];
const name = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...usualNames) },
  fc.constantFrom('"gr\\u00f6\\u00dfe"', '"constructor"', '""'),
);

/** Personas with the same members, some of which differ in one respect. */
const personas = fc
  .uniqueArray(fc.constantFrom(...usualNames), { minLength: 1, maxLength: 6 })
  .chain(names => {
    const usual = fc
      .tuple(...names.map(each => value.map(own => `${each}:${own}`)))
      .map(members => `{"features":{${members.join(',')}}}`);
    const other = fc
      .tuple(fc.array(fc.tuple(name, value), { maxLength: 6 }), fc.constantFrom('', ' ', '\n'))
      .map(([members, space]) => {
        const text = members.map(([each, own]) => `${each}${space}:${own}`).join(`${space},`);
        return `{${space}"features":{${text}${space}}${space}}`;
      });
    const strange = fc.constantFrom(
      'null',
      '{}',
      '{"features":1}',
      '{"a":1,"features":{"amount":1}}',
      '[]',
      '',
    );
    return fc.array(fc.oneof({ weight: 12, arbitrary: usual }, { weight: 2, arbitrary: other }, strange), {
      minLength: 1,
      maxLength: 30,
    });
  });

/** What a reader makes of a list, slice by slice. */
function readAll(reader: PersonaReader, list: string, maxMembers: number, rows: number, bytes: number) {
  const json = new JsonReader(Buffer.from(list), maxMembers);
  const values: number[] = [];
  const errors: [number, string][] = [];
  try {
    if (!json.enter()) return { values, errors, at: json.at };
    let isLast = false;
    let count = 0;
    while (!isLast) {
      const slice = reader.read(json, rows, bytes);
      values.push(...slice.values);
      for (const [row, { code }] of slice.errors) {
        errors.push([count + row, code]);
        values.fill(0, (count + row) * reader.width, (count + row + 1) * reader.width);
      }
      count += slice.rows;
      ({ isLast } = slice);
    }
    return { values, errors, at: json.at, members: json.members };
  } catch (error) {
    assert.ok(error instanceof RequestError);
    return error.code;
  }
}

it('a kernel reads personas as TypeScript does, however many are in a slice', () => {
  fc.assert(
    fc.property(
      personas,
      fc.constantFrom(1_000_000, 1_000_000, 60),
      fc.constantFrom(1000, 1000, 3, 1),
      fc.constantFrom(1 << 20, 100),
      fc.nat(),
      (list, maxMembers, rows, bytes, cut) => {
        const text = `[${list.join(',')}]`;
        for (const own of [text, text.slice(0, cut % text.length)])
          assert.deepEqual(
            readAll(inKernel, own, maxMembers, rows, bytes),
            readAll(inTypeScript, own, maxMembers, rows, bytes),
          );
      },
    ),
    { numRuns: runs(10_000, 1000) },
  );
});

it('a kernel reads most of the personas', () => {
  const persona = '{"features":{"amount":12.5,"plan":"\\u00e9","note":"x \\"y\\"","day":"2026-11-27"}}';
  const list = `[${Array.from({ length: 500 }, () => persona).join(',')}]`;
  const json = new JsonReader(Buffer.from(list), 1_000_000);
  json.enter();
  const { rows, values, isLast } = inKernel.read(json, 1000, 1 << 20);
  assert.deepEqual([rows, isLast, json.at], [500, true, list.length]);
  assert.deepEqual([...values.slice(-6)], [12.5, Number.NaN, 2, Number.NaN, 20784, 0]);
});
