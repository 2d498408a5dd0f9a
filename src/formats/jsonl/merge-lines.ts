import type { Appended } from '../appended.ts';
import { copyBytes, type WordView, wordView } from '../bytes/word-view.ts';
import type { MergeRecords, PredictedBatch } from '../format.ts';
import { type ColumnOptions, type OutputColumns, outputColumns, renamed } from '../output-columns.ts';
import { RecordKind, startOf } from '../records/batch.ts';
import { contentEnd } from '../records/line-endings.ts';
import type { LineShape } from './line-shape.ts';
import { lines, type MemberAt, membersOf } from './members.ts';

const [OPEN, CLOSE] = [0x7b, 0x7d];

/** The members of an output's objects, if they are not those of the input. */
export interface LineColumns extends OutputColumns {
  /** The names of the kept members, in their order in the output. */
  readonly names: readonly string[];
}

/**
 * Merges a batch's objects with the appended members, consecutive ones at a time. The members go before the closing brace of
 * each; all other bytes stay as they are. Blank lines are copied; malformed lines are left out.
 */
export function lineMerger(
  { batch, faults, predictions }: PredictedBatch,
  appended: Appended,
  columns: LineColumns | undefined,
): MergeRecords {
  const { bytes, ends, kinds } = batch;
  const from = wordView(bytes);
  const write = appended.writer(predictions);
  const { empty } = appended;
  let persona = 0;
  return (first, after, _, into) => {
    const size = startOf(batch, after) - startOf(batch, first);
    const merged = wordView(into ?? Buffer.allocUnsafe(size + (after - first) * appended.maxBytes));
    let at = 0;
    for (let index = first; index < after; index++) {
      const start = startOf(batch, index);
      const end = ends[index] ?? start;
      if (kinds[index] === RecordKind.blank) {
        at = copyBytes(from, start, end, merged, at);
        continue;
      }
      if (faults.has(index)) continue;
      const own =
        columns === undefined ? undefined : wordView(ownObject(bytes.subarray(start, end), columns));
      const [object, begin, stop] = own === undefined ? [from, start, end] : [own, 0, own.bytes.length];
      const brace = closingBrace(object.bytes, begin, stop);
      at = copyBytes(object, begin, brace, merged, at);
      const members = at;
      at = predictions.errors.has(persona)
        ? copyBytes(empty, 0, empty.bytes.length, merged, at)
        : write(persona, merged, at);
      persona++;
      if (isEmptyUntil(object.bytes, brace)) at = withoutComma(merged, members, at);
      at = copyBytes(object, brace, stop, merged, at);
    }
    return merged.bytes.subarray(0, at);
  };
}

/** A line with its appended members. */
export function withMembers(line: Buffer, members: Buffer, columns: LineColumns | undefined): Buffer {
  const own = columns === undefined ? line : ownObject(line, columns);
  const brace = closingBrace(own, 0, own.length);
  const added = isEmptyUntil(own, brace) ? members.subarray(1) : members;
  return Buffer.concat([own.subarray(0, brace), added, own.subarray(brace)]);
}

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

function withoutComma({ bytes }: WordView, start: number, end: number): number {
  bytes.copyWithin(start, start + 1, end);
  return end - 1;
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
export const renamedBytes = (columns: LineColumns | undefined): number =>
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
