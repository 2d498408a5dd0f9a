import { DEFAULT_PREFIX } from '../appended.ts';
import { appendedNames } from '../appended-names.ts';
import { RecordReader } from '../csv/records/record-reader.ts';
import type {
  ComparedLayout,
  Layout,
  Opened,
  OutputLayout,
  RecordLayout,
  RejectsOptions,
} from '../format.ts';
import { kernelMerger, recordMerger } from '../merge-records.ts';
import { type ColumnOptions, ownNames } from '../output-columns.ts';
import type { ReadOptions } from '../read-options.ts';
import { recordEnds } from '../records/batch.ts';
import type { ByteSource } from '../records/byte-source.ts';
import { typedFieldReader } from '../records/fields.ts';
import { INPUT_START } from '../records/position.ts';
import { REJECT_RECORD, rejectColumns } from '../records/reject.ts';
import { lineComparison } from './line-comparison.ts';
import { lineFieldReader } from './line-fields.ts';
import { lineRejectRecords, lineRejectsText, whyMalformedLine } from './line-rejects.ts';
import { type LineShape, readShape } from './line-shape.ts';
import { lines, membersOf } from './members.ts';
import { appendedMembers, type LineColumns, lineColumns, openBeforeBrace } from './merge-lines.ts';

/** What a layout is made of, also in another thread; plain data. */
export interface LineParts {
  readonly shape: LineShape;
  /** The members of the output's objects, if they are not those of the input. */
  readonly columns?: LineColumns | undefined;
}

/** The layout of objects on lines. */
export interface LineLayout extends Layout {
  readonly shape: LineShape;
}

const LINE_FEED = Buffer.from('\n');

/**
 * An object on each line.
 *
 * @param appendedIn the names of the appended members of an output, by default those behind its own
 */
export const lineLayout = (parts: LineParts, appendedIn?: AppendedIn): LineLayout => ({
  shape: parts.shape,
  ...lineRecords(parts),
  ...lineOutput(parts),
  ...lineCompared(parts, appendedIn),
});

/** What the first objects of other lines are like. */
function shapeOfLayout(layout: Layout): LineShape {
  if ('shape' in layout) return (layout as LineLayout).shape;
  throw new Error('the files have different formats');
}

function lineRecords({ shape, columns }: LineParts): RecordLayout {
  const { names, types } = shape;
  return {
    ...recordEnds(lines),
    names,
    namesColumnsLater: types === undefined,
    // Corrected rejects are a few rows, chosen by what is wrong with them.
    absent: isRejects(shape) ? [] : shape.absent,
    types,
    columnsHint: undefined,
    laterHeader: () => shape.rowsInList,
    preamble: Buffer.from('\ufeff').subarray(0, shape.bom),
    start: { ...INPUT_START, offset: shape.bom },
    format: 'jsonl',
    readAs: {},
    data: { format: 'jsonl', value: { shape, columns } satisfies LineParts },
    longName: undefined,
    // An empty line is blank, as in a CSV with several columns.
    records: options => new RecordReader({ ...options, dialect: lines, width: 2 }),
    fieldReader: memory => typedFieldReader(lineFieldReader(shape, memory), types, shape.hasOthers === true),
    whyMalformed: whyMalformedLine,
    textsOf: valueTexts,
    fileOf: records => Buffer.concat(records.flatMap(record => [record, LINE_FEED])),
  };
}

const valueTexts = (records: Buffer): string[][] =>
  records
    .toString()
    .split('\n')
    .filter(Boolean)
    .map(text => Buffer.from(text))
    .map(line => membersOf(line, 0, line.length).map(({ value, end }) => line.toString('utf8', value, end)));

/** How objects are written. */
export function lineOutput({ shape, columns }: LineParts): OutputLayout {
  const own = { names: shape.members };
  return {
    ownNames: ownNames(own, columns),
    numberNames: new Set(),
    appended: options => appendedMembers(own, options, columns),
    appendedNames: options => appendedNames(options, columns),
    mergedTexts: valueTexts,
    outputPreamble: () => Buffer.from('\ufeff').subarray(0, shape.bom),
    merger(appended, memory) {
      const inKernel =
        columns === undefined && memory ? kernelMerger(memory, appended, lines, true) : undefined;
      const open = openBeforeBrace(columns);
      return (scored, fields) => inKernel?.(scored, fields) ?? recordMerger(scored, appended, open);
    },
    mayJoinLines: false,
  };
}

function lineCompared({ shape, columns }: LineParts, appendedIn?: AppendedIn): ComparedLayout {
  const { names, members } = shape;
  const own = ownNames({ names: members }, columns);
  const find = appendedIn ?? (output => appendedTo(own, output));
  return {
    compareWith: output => lineComparison({ names, ownNames: own, columns, appended: find(output) }),
    asRejects(options, file) {
      if (!isRejects(shape)) return undefined;
      const isOwn = (name: string): boolean =>
        name !== REJECT_RECORD && !rejectColumns.some(ours => ours === name);
      // If no line was an object, only the names of the output tell its columns.
      const { keep } = options;
      const ofInput = members.some(isOwn) || !Array.isArray(keep) ? members.filter(isOwn) : keep;
      const input = { ...shape, bom: 0, names: names.filter(isOwn), members: ofInput };
      const written = lineColumns(input, options, file);
      const areUnknown = ofInput.length === 0 && keep !== 'none';
      const appendedOf = areUnknown
        ? appendedByName(options)
        : (output: Layout) => appendedTo(ownNames({ names: ofInput }, written), output);
      return {
        input: lineLayout({ shape: input, columns: written }, appendedOf),
        ending: LINE_FEED,
        hasColumnsOf: () => true,
        readCorrections: (source, read) => readLineLayout(source, read),
        compareCorrections: (_corrected, output) =>
          lineComparison({ names, ownNames: own, columns: undefined, appended: appendedOf(output) }),
      };
    },
    rejectRecords: lineRejectRecords,
    rejectRecordsOf(rejects) {
      const named = new Set(rejects.names);
      return {
        ...lineRejectRecords,
        row({ bytes, start, contentEnd }) {
          const kept = membersOf(bytes, start, contentEnd).filter(({ name }) => named.has(name));
          const text = kept.map(member => bytes.toString('utf8', member.start, member.end)).join(',');
          const content = Buffer.from(`{${text}}`);
          return lineRejectRecords.row({ bytes: content, start: 0, contentEnd: content.length });
        },
      };
    },
    rejectsPreamble: Buffer.alloc(0),
    rejectsText: lineRejectsText,
  };
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
  return { layout: lineLayout({ shape, columns: lineColumns(shape, options, source.name) }), rest };
}

type AppendedIn = (output: Layout) => readonly string[] | 0;

/** The names of the last members of an output that are named as a run names what it appends. */
const appendedByName =
  ({ prefix = DEFAULT_PREFIX, rename = {} }: RejectsOptions): AppendedIn =>
  output => {
    const { last } = shapeOfLayout(output);
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
  const { last } = shapeOfLayout(output);
  if (output.names.length === 0) return 0;
  return last.slice(last.findLastIndex(name => own.includes(name)) + 1);
}
