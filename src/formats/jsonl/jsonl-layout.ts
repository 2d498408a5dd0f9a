import type { BatchMemory } from '../../base/kernel/batch-memory.ts';
import type { PipedFile } from '../../base/shell-pipe.ts';
import { type Appended, type AppendedOptions, DEFAULT_PREFIX } from '../appended.ts';
import { appendedNames } from '../appended-names.ts';
import type { Comparison, RejectRecords } from '../comparison.ts';
import { kernelMerger } from '../csv/kernel-merger.ts';
import { RecordReader } from '../csv/records/record-reader.ts';
import type { Layout, LayoutData, MergeBatch, Opened, RejectsFile, RejectsOptions } from '../format.ts';
import { type ColumnOptions, ownNames } from '../output-columns.ts';
import type { ReadAs, ReadOptions } from '../read-options.ts';
import { type Batch, positionOf, sliceBatch } from '../records/batch.ts';
import type { BatchOptions } from '../records/batch-reader.ts';
import type { ByteSource } from '../records/byte-source.ts';
import type { Fault } from '../records/faults.ts';
import type { Fields } from '../records/fields.ts';
import { contentEnd, LF } from '../records/line-endings.ts';
import { INPUT_START, type Position } from '../records/position.ts';
import {
  type MalformedCause,
  type MalformedRecord,
  REJECT_RECORD,
  type Reject,
  rejectColumns,
} from '../records/reject.ts';
import type { RowGroups } from '../records/row-groups.ts';
import { typedFieldReader } from '../records/typed-fields.ts';
import { appendedMembers } from './appended-members.ts';
import { lineComparison } from './line-comparison.ts';
import { lineFieldReader } from './line-fields.ts';
import { lineRejectRecords, lineRejectsText } from './line-rejects.ts';
import { type LineShape, readShape } from './line-shape.ts';
import { countLineFeeds, lines, membersOf } from './members.ts';
import { type LineColumns, lineColumns, lineMerger, renamedBytes, withMembers } from './merge-lines.ts';
import { whyMalformed } from './why-malformed.ts';

/** What makes the same layout in another thread. */
export interface LineLayoutValue {
  readonly shape: LineShape;
  readonly columns: LineColumns | undefined;
}

const LINE_FEED = Buffer.from('\n');
const NOTHING = Buffer.alloc(0);

/** An object on each line. */
export class LineLayout implements Layout {
  readonly names: readonly string[];
  readonly absent: readonly string[];
  readonly columnsHint = undefined;
  readonly preamble: Buffer;
  readonly start: Position;
  readonly format = 'jsonl';
  readonly namesColumnsLater: boolean;
  readonly types: Layout['types'];
  readonly readAs: ReadAs = {};
  readonly longName = undefined;
  readonly groups: RowGroups | undefined = undefined;
  readonly mayJoinLines = false;
  readonly rejectsPreamble = NOTHING;
  readonly rejectRecords = lineRejectRecords;
  readonly #shape: LineShape;
  readonly #columns: LineColumns | undefined;
  readonly #appendedIn: AppendedIn;

  /** @param appendedIn the names of the appended members of an output, by default those behind its own */
  constructor(shape: LineShape, columns?: LineColumns, appendedIn?: AppendedIn) {
    this.#shape = shape;
    this.#columns = columns;
    this.#appendedIn = appendedIn ?? (output => appendedTo(this.ownNames, output));
    this.names = shape.names;
    this.types = shape.types;
    this.namesColumnsLater = shape.types === undefined;
    // Corrected rejects are a few rows, chosen by what is wrong with them.
    this.absent = isRejects(shape) ? [] : shape.absent;
    this.preamble = Buffer.from('\ufeff').subarray(0, shape.bom);
    this.start = { ...INPUT_START, offset: shape.bom };
  }

  get data(): LayoutData {
    const value: LineLayoutValue = { shape: this.#shape, columns: this.#columns };
    return { format: this.format, value };
  }

  laterHeader(): string | undefined {
    return this.#shape.rowsInList;
  }

  records(options: BatchOptions): RecordReader {
    // An empty line is blank, as in a CSV with several columns.
    return new RecordReader({ ...options, dialect: lines, width: 2 });
  }

  fieldReader(memory?: BatchMemory): (batch: Batch) => Fields {
    return typedFieldReader(lineFieldReader(this.#shape, memory), this.types, this.#shape.hasOthers === true);
  }

  faultFinder(): (batch: Batch) => ReadonlyMap<number, Fault> {
    const read = this.fieldReader();
    return batch => read(batch).faults;
  }

  slice(batch: Batch, from: number, to: number): Batch {
    return sliceBatch(batch, from, to, lines);
  }

  positionOf(batch: Batch, index: number): Position {
    return positionOf(batch, index, lines);
  }

  textsOf(records: Buffer): string[][] {
    const texts = records
      .toString()
      .split('\n')
      .filter(Boolean)
      .map(line => Buffer.from(line));
    return texts.map(line =>
      membersOf(line, 0, line.length).map(({ value, end }) => line.toString('utf8', value, end)),
    );
  }

  contentEnd(bytes: Uint8Array, start: number, end: number): number {
    return contentEnd(bytes, start, end, lines);
  }

  countLines(bytes: Uint8Array, start: number, end: number): number {
    return countLineFeeds(bytes, start, end);
  }

  endsRecord(byte: number | undefined): boolean {
    return byte === LF;
  }

  appended(options: AppendedOptions): Appended {
    const members = appendedMembers({ names: this.#shape.members }, options, this.#columns);
    return { ...members, maxBytes: members.maxBytes + renamedBytes(this.#columns) };
  }

  get numberNames(): ReadonlySet<string> {
    return new Set();
  }

  get ownNames(): readonly string[] {
    return ownNames({ names: this.#shape.members }, this.#columns);
  }

  appendedNames(options: AppendedOptions): string[] {
    return appendedNames(options, this.#columns);
  }

  outputPreamble(_appended?: Appended): Buffer {
    return this.preamble;
  }

  merger(appended: Appended, memory?: BatchMemory): MergeBatch {
    const columns = this.#columns;
    const inKernel =
      columns === undefined ? memory && kernelMerger(memory, appended, lines, true) : undefined;
    return (scored, fields) => inKernel?.(scored, fields) ?? lineMerger(scored, appended, columns);
  }

  unscored(record: Buffer, isBlank: boolean, appended: Appended): Buffer {
    return isBlank ? record : withMembers(record, appended.empty.bytes, this.#columns);
  }

  whyMalformed(records: readonly MalformedRecord[], file: PipedFile): MalformedCause {
    return whyMalformed(records, file);
  }

  fileOf(records: readonly Buffer[]): Buffer {
    return Buffer.concat(records.flatMap(record => [record, LINE_FEED]));
  }

  compareWith(output: Layout, _file?: string): Comparison {
    const { names, ownNames: own } = this;
    return lineComparison({
      names,
      ownNames: own,
      columns: this.#columns,
      appended: this.#appendedIn(output),
    });
  }

  asRejects(options: RejectsOptions, file: string): RejectsFile | undefined {
    const { names, members } = this.#shape;
    if (!isRejects(this.#shape)) return undefined;
    const isOwn = (name: string): boolean =>
      name !== REJECT_RECORD && !rejectColumns.some(ours => ours === name);
    // If no line was an object, only the names of the output tell its columns.
    const { keep } = options;
    const own = members.some(isOwn) || !Array.isArray(keep) ? members.filter(isOwn) : keep;
    const shape = { ...this.#shape, bom: 0, names: names.filter(isOwn), members: own };
    const areUnknown = own.length === 0 && keep !== 'none';
    const appendedIn = areUnknown ? appendedByName(options) : undefined;
    const input = new LineLayout(shape, lineColumns(shape, options, file), appendedIn);
    return {
      input,
      ending: LINE_FEED,
      hasColumnsOf: () => true,
      readCorrections: (source, read) => readLineLayout(source, read),
      compareCorrections: (_corrected, output) =>
        lineComparison({
          names,
          ownNames: this.ownNames,
          columns: undefined,
          appended: input.#appendedIn(output),
        }),
    };
  }

  rejectRecordsOf({ names }: Pick<Layout, 'names'>): RejectRecords {
    const named = new Set(names);
    return {
      ...lineRejectRecords,
      row(input) {
        const { bytes, start, contentEnd } = input;
        const members = membersOf(bytes, start, contentEnd).filter(({ name }) => named.has(name));
        const text = members.map(member => bytes.toString('utf8', member.start, member.end)).join(',');
        const content = Buffer.from(`{${text}}`);
        return lineRejectRecords.row({ bytes: content, start: 0, contentEnd: content.length });
      },
    };
  }

  rejectsText(rejects: readonly Reject[]): Buffer {
    return lineRejectsText(rejects);
  }

  /** What the first objects of other lines are like. */
  static shapeOf(layout: Layout): LineShape {
    if (layout instanceof LineLayout) return layout.#shape;
    throw new Error('the files have different formats');
  }
}

const isRejects = ({ members }: LineShape): boolean =>
  rejectColumns.every((name, index) => members[index] === name);

/**
 * Reads the beginning of an input.
 *
 * @param typed the types of the known columns, if they are all that there are
 */
export async function readLineLayout(
  source: ByteSource,
  options: ReadOptions & ColumnOptions,
  typed?: Pick<LineShape, 'types' | 'hasOthers'>,
): Promise<Opened> {
  const { named, columns, maxRecordBytes, maxColumns } = options;
  const known = named ?? columns;
  const namesColumns = named !== undefined;
  const { shape: own, rest } = await readShape(source, { known, maxRecordBytes, maxColumns, namesColumns });
  const shape = typed === undefined ? own : { ...own, names: known ?? [], ...typed };
  return { layout: new LineLayout(shape, lineColumns(shape, options, source.name)), rest };
}

type AppendedIn = (output: Layout) => readonly string[] | 0;

/** The names of the last members of an output that are named as a run names what it appends. */
const appendedByName =
  ({ prefix = DEFAULT_PREFIX, rename = {} }: RejectsOptions): AppendedIn =>
  output => {
    const { last } = LineLayout.shapeOf(output);
    if (output.names.length === 0) return 0;
    const former = new Map(Object.entries(rename).map(([from, to]) => [to, from]));
    const names = last.map(name => former.get(name) ?? name);
    let from = names.length;
    if (/^predict(?:ed_|ion$)/.test(names.at(-1) ?? '')) from--;
    while (names[from - 1]?.startsWith(`${prefix}_`) === true) from--;
    return last.slice(from);
  };

/** The names of the last members of an output that its input does not have; 0 if it has no objects. */
export function appendedTo(own: readonly string[], output: Layout): readonly string[] | 0 {
  const { last } = LineLayout.shapeOf(output);
  if (output.names.length === 0) return 0;
  return last.slice(last.findLastIndex(name => own.includes(name)) + 1);
}
