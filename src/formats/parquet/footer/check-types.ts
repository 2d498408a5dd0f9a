import { CODECS, REPEATED, TYPES } from './numbers.ts';
import { type ThriftCursor, ThriftError, TYPE } from './thrift-cursor.ts';

/** One of a number of values, which are counted from 0. */
interface Enum {
  readonly count: number;
}
/** What a value is: its type, an enum, a struct with the members that are known, or a list of values. */
type Item = number | Enum | Members;
type Shape = Item | readonly [item: Item];
interface Members {
  readonly [id: number]: Shape;
}

const physicalType: Enum = { count: TYPES.length };
const { i16, i32, i64, byte, double, binary, true: bool } = TYPE;
const ANY: Members = {};

/** Members with the numbers from 1 on. */
function numbered(...members: readonly Shape[]): Members {
  return Object.fromEntries(members.map((member, index) => [index + 1, member]));
}

const keyValue = numbered(binary, binary);
const time = numbered(bool, numbered(ANY, ANY, ANY));
const logicalType: Members = {
  ...numbered(...Array.from({ length: 18 }, () => ANY)),
  5: numbered(i32, i32),
  7: time,
  8: time,
  10: numbered(byte, bool),
  16: numbered(byte),
  17: numbered(binary),
  18: numbered(binary, i32),
};
const schemaElement: Members = {
  1: physicalType,
  2: i32,
  3: { count: 1 + REPEATED },
  4: binary,
  5: i32,
  6: i32,
  7: i32,
  8: i32,
  9: i32,
  10: logicalType,
};
const statistics = numbered(binary, binary, i64, i64, binary, binary, bool, bool, i64);
const box = numbered(...Array.from({ length: 8 }, () => double));
const column: Members = {
  1: physicalType,
  2: [i32],
  3: [binary],
  4: { count: CODECS.length },
  5: i64,
  6: i64,
  7: i64,
  8: [keyValue],
  9: i64,
  10: i64,
  11: i64,
  12: statistics,
  13: [numbered(i32, i32, i32)],
  14: i64,
  15: i32,
  16: numbered(i64, [i64], [i64]),
  17: numbered(box, [i32]),
};
const chunk = numbered(binary, i64, column, i64, i32, i64, i32, ANY, binary);
const group = numbered([chunk], i64, i64, [numbered(i32, bool, bool)], i64, i64, i16);
/**
 * `FileMetaData` of parquet.thrift (github.com/apache/parquet-format, 2.12). Members that it does not have may be
 * there.
 */
const footer: Members = {
  1: i32,
  2: [schemaElement],
  3: i64,
  4: [group],
  5: [keyValue],
  6: binary,
  7: [numbered(ANY, ANY)],
  8: ANY,
  9: binary,
};

/**
 * Checks that the members of a footer have their types. Most of them are copied as they are, so a wrong one would be in
 * the output too, which others refuse.
 *
 * @param cursor at its begin
 * @throws ThriftError
 */
export const checkFooterTypes = (cursor: ThriftCursor): void => passMembers(cursor, footer);

function passMembers(cursor: ThriftCursor, members: Members): void {
  for (let last = 0; cursor.member(last); ) {
    last = cursor.id;
    const shape = members[last];
    const { type } = cursor;
    if (shape === undefined) cursor.skipMember();
    else if (shape === bool) checkType(type === TYPE.false ? bool : type, bool);
    else pass(cursor, type, shape);
  }
}

function pass(cursor: ThriftCursor, type: number, shape: Shape): void {
  if (typeof shape === 'number') {
    checkType(type, shape);
    cursor.skip(type, 0);
  } else if ('count' in shape) {
    checkType(type, i32);
    const value = cursor.integer();
    if (!(value >= 0 && value < shape.count))
      throw new ThriftError('a member has a value that the format does not have');
  } else if (isList(shape)) {
    checkType(type, TYPE.list);
    const { type: own, size } = cursor.list();
    for (let item = 0; item < size; item++) pass(cursor, own, shape[0]);
  } else {
    checkType(type, TYPE.struct);
    passMembers(cursor, shape);
  }
}

const isList = (shape: Members | readonly [Item]): shape is readonly [Item] => Array.isArray(shape);

function checkType(type: number, expected: number): void {
  if (type !== expected) throw new ThriftError('a member has another type than in the format');
}
