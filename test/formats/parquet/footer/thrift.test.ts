import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  readStruct,
  ThriftError,
  ThriftStruct,
  type ThriftValue,
  writeStruct,
  writeStructWith,
} from '../../../../src/formats/parquet/footer/thrift.ts';

/** Types of the compact protocol with values of each. */
const { value } = fc.letrec<{ value: { type: number; value: ThriftValue }; struct: ThriftStruct }>(tie => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.boolean().map(own => ({ type: own ? 1 : 2, value: own as ThriftValue })),
    fc
      .constantFrom(4, 5, 6)
      .chain(type => fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map(own => ({ type, value: shortest(own) }))),
    fc.uint8Array({ minLength: 8, maxLength: 8 }).map(own => ({ type: 7, value: Buffer.from(own) })),
    fc.uint8Array({ maxLength: 200 }).map(own => ({ type: 8, value: Buffer.from(own) })),
    fc
      .array(fc.integer({ min: -5, max: 5 }), { maxLength: 40 })
      .map(items => ({ type: 9, value: { kind: 'list' as const, type: 5, items } })),
    tie('struct').map(own => ({ type: 12, value: own })),
  ),
  struct: fc.array(fc.tuple(fc.integer({ min: 1, max: 400 }), tie('value')), { maxLength: 6 }).map(structOf),
}));
const struct = fc.array(fc.tuple(fc.integer({ min: 1, max: 400 }), value), { maxLength: 8 }).map(structOf);

/** An integer as it is read: a number if it takes at most seven bytes. */
const shortest = (value: bigint): number | bigint =>
  value >= -(2n ** 48n) && value < 2n ** 48n ? Number(value) : value;

function structOf(
  members: readonly (readonly [number, { type: number; value: ThriftValue }])[],
): ThriftStruct {
  const made = new ThriftStruct();
  for (const [id, member] of [...members].sort(([a], [b]) => a - b)) made.members.set(id, member);
  return made;
}

describe('a struct of Thrift', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(struct, own => {
        const read = readStruct(writeStruct(own));
        assert.deepEqual(writeStruct(read), writeStruct(own));
        for (const [id, { type, value }] of own.members) {
          if (value instanceof ThriftStruct)
            assert.deepEqual(writeStruct(read.struct(id)), writeStruct(value));
          else if (type === 9) assert.deepEqual(read.items(id), own.items(id));
          else assert.deepEqual(read.members.get(id), { type, value });
        }
      }),
    );
  });

  it('may have a list whose structs are made while it is written', () => {
    fc.assert(
      fc.property(
        struct,
        fc.array(struct, { maxLength: 20 }),
        fc.integer({ min: 1, max: 400 }),
        (own, items, id) => {
          const whole = own.copy();
          whole.setStructs(id, items);
          const pieces = [...writeStructWith(own, id, { count: items.length, items })];
          assert.deepEqual(Buffer.concat(pieces), writeStruct(whole));
        },
      ),
    );
  });

  it('is refused if it is cut off', () => {
    fc.assert(
      fc.property(struct, fc.nat(), (own, at) => {
        const bytes = writeStruct(own);
        assert.throws(() => readStruct(bytes.subarray(0, at % bytes.length)), ThriftError);
      }),
    );
  });

  it('is read or refused, whatever its bytes are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), bytes => {
        try {
          readStruct(Buffer.from(bytes));
        } catch (error) {
          assert.ok(error instanceof ThriftError);
        }
      }),
    );
  });

  it('is refused if it is nested too deeply', () => {
    assert.throws(() => readStruct(Buffer.alloc(1000, 0x1c)), ThriftError);
  });
});
