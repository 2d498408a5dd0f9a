import { classesOf } from '../../base/contract/predictions.ts';
import { type Appended, type AppendedOptions, MAX_LABEL_BYTES } from '../appended.ts';
import { distinctNames } from '../appended-names.ts';
import { appendedValues } from '../appended-values.ts';
import { wordView } from '../bytes/word-view.ts';
import type { OpenAt } from '../merge-records.ts';
import {
  type ColumnOptions,
  type Named,
  type OutputColumns,
  outputColumns,
  renamed,
} from '../output-columns.ts';
import { contentEnd } from '../records/line-endings.ts';
import type { LineShape } from './line-shape.ts';
import { lines, type MemberAt, membersOf } from './members.ts';

const [OPEN, CLOSE] = [0x7b, 0x7d];

/** The members of an output's objects, if they are not those of the input. */
export interface LineColumns extends OutputColumns {
  /** The names of the kept members, in their order in the output. */
  readonly names: readonly string[];
}

/** Opens objects before their closing brace. All other bytes stay as they are. */
export const openBeforeBrace =
  (columns: LineColumns | undefined): OpenAt =>
  (into, from, start, end) => {
    const own = columns === undefined ? from : wordView(ownObject(from.bytes.subarray(start, end), columns));
    const isWhole = own === from;
    into.head = own;
    into.tail = own;
    into.start = isWhole ? start : 0;
    into.tailEnd = isWhole ? end : own.bytes.length;
    into.end = closingBrace(own.bytes, into.start, into.tailEnd);
    into.tailStart = into.end;
    into.isFirst = isEmptyUntil(own.bytes, into.end);
  };

/**
 * The members that are appended to each object, with a comma before each.
 *
 * @throws RowcastError `duplicate_columns`; `missing_columns`; `bad_classes`; `bad_option` if nothing would be appended
 */
export function appendedMembers(
  input: Named,
  options: AppendedOptions,
  columns: LineColumns | undefined,
): Appended {
  const names = distinctNames(input, options, columns);
  const openings = names.map(name => `,${JSON.stringify(name)}:`);
  const classBytes = classesOf(options.predictionType).map(name => Buffer.byteLength(JSON.stringify(name)));
  const openingBytes = openings.reduce((sum, opening) => sum + Buffer.byteLength(opening) + NULL.length, 0);
  return {
    names: '',
    isAlone: false,
    ...appendedValues(options, {
      openings,
      missing: NULL,
      textValue: text => JSON.stringify(text),
      // Each byte may be a control character, which takes six bytes as an escape.
      maxLabelBytes: 2 + 6 * MAX_LABEL_BYTES,
      maxBytes: ({ numberBytes, textBytes }) =>
        openingBytes + names.length * Math.max(numberBytes, textBytes, ...classBytes) + renamedBytes(columns),
    }),
  };
}

const NULL = 'null';

/** Offset of the closing brace of a well-formed object. */
export function closingBrace(bytes: Buffer, start: number, end: number): number {
  let at = end - 1;
  while (at > start && bytes[at] !== CLOSE) at--;
  return at;
}

/** Whether nothing but spaces is between the opening brace of an object and its closing one. */
export function isEmptyUntil(bytes: Buffer, brace: number): boolean {
  let at = brace - 1;
  while (bytes[at] === 0x20 || bytes[at] === 0x09 || bytes[at] === 0x0d) at--;
  return bytes[at] === OPEN;
}

/** What the output has of a line: the kept members, each with its bytes, or all of them, with their new names. */
export function ownObject(line: Buffer, columns: LineColumns): Buffer {
  const content = contentEnd(line, 0, line.length, lines);
  const members = membersOf(line, 0, content);
  const { kept } = columns;
  const textOf = (member: MemberAt): Buffer => {
    const name = renamed(member.name, columns);
    if (name === member.name) return line.subarray(member.start, member.end);
    const { nameEnd, end } = member;
    return Buffer.concat([Buffer.from(JSON.stringify(name)), line.subarray(nameEnd, end)]);
  };
  if (kept === undefined) {
    let done = 0;
    const parts = members.flatMap(member => {
      const before = line.subarray(done, member.start);
      done = member.end;
      return [before, textOf(member)];
    });
    return Buffer.concat([...parts, line.subarray(done)]);
  }
  const byName = new Map(members.map(member => [member.name, member]));
  const parts = columns.names.flatMap(name => {
    const member = byName.get(name);
    return member === undefined ? [] : [textOf(member)];
  });
  const text = parts.flatMap((part, place) => (place === 0 ? [part] : [Buffer.from(','), part]));
  return Buffer.concat([Buffer.from('{'), ...text, Buffer.from('}'), line.subarray(content)]);
}

/** Bytes that new names may add to a line. */
const renamedBytes = (columns: LineColumns | undefined): number =>
  Object.values(columns?.rename ?? {}).reduce(
    (sum, name) => sum + Buffer.byteLength(JSON.stringify(name)),
    0,
  );

/**
 * The members of an output's objects.
 *
 * @returns undefined if they are those of the input, with the same names
 * @throws RowcastError `missing_columns`, `duplicate_columns`
 */
export function lineColumns(
  { members }: Pick<LineShape, 'members'>,
  options: ColumnOptions,
  file: string,
): LineColumns | undefined {
  const columns = outputColumns({ names: members }, options, file);
  if (columns === undefined) return undefined;
  const kept = columns.kept ?? members.map((_, index) => index);
  return { ...columns, names: kept.map(index => members[index] ?? '') };
}
