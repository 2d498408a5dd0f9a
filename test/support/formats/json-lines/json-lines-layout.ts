import { classesOf } from '../../../../src/base/contract/predictions.ts';
import type { Dialect } from '../../../../src/base/parse-records.ts';
import { type Appended, type AppendedOptions, ofKind } from '../../../../src/formats/appended.ts';
import { wordView } from '../../../../src/formats/bytes/word-view.ts';
import type { Comparison } from '../../../../src/formats/comparison.ts';
import { RecordReader } from '../../../../src/formats/csv/records/record-reader.ts';
import type {
  Layout,
  MergeBatch,
  MergeRecords,
  PredictedBatch,
  RejectsFile,
} from '../../../../src/formats/format.ts';
import { type Batch, positionOf, sliceBatch, startOf } from '../../../../src/formats/records/batch.ts';
import type { BatchOptions } from '../../../../src/formats/records/batch-options.ts';
import type { Fault } from '../../../../src/formats/records/faults.ts';
import type { Fields } from '../../../../src/formats/records/fields.ts';
import { contentEnd, countLines } from '../../../../src/formats/records/line-endings.ts';
import { INPUT_START, type Position } from '../../../../src/formats/records/position.ts';
import { RecordKind } from '../../../../src/formats/records/record-kind.ts';
import type { Reject } from '../../../../src/formats/records/reject.ts';
import { rejectColumns } from '../../../../src/formats/records/reject-columns.ts';
import { jsonLines } from './json-lines.ts';
import { jsonLinesComparison } from './json-lines-comparison.ts';
import { rejectRecords, rejectsText } from './json-lines-rejects.ts';

/** Lines without fields. */
const lines: Dialect = { delimiter: '\t', quote: undefined, loneCr: false };
const NOTHING = Buffer.alloc(0);
const LINE_FEED = Buffer.from('\n');

/** An object on each line; predictions are added as its last members. */
export class JsonLinesLayout implements Layout {
  // The threads that score do not know this format.
  readonly data = undefined;
  readonly names: readonly string[];
  readonly columnsHint = undefined;
  readonly preamble = NOTHING;
  readonly start = INPUT_START;
  readonly format = 'json-lines';
  readonly readAs = {};
  readonly longName = undefined;
  readonly mayJoinLines = false;
  readonly rejectsPreamble = NOTHING;
  readonly rejectRecords = rejectRecords;

  constructor(names: readonly string[]) {
    this.names = names;
  }

  get ownNames(): readonly string[] {
    return this.names;
  }

  appendedNames({ predictionType, prefix }: AppendedOptions): string[] {
    return classesOf(predictionType).map(name => `${prefix}_${name}`);
  }

  records(options: BatchOptions): RecordReader {
    return new RecordReader({ ...options, dialect: lines, width: 2 });
  }

  fieldReader(): (batch: Batch) => Fields {
    return batch => {
      const faults = new Map<number, Fault>();
      const values: Buffer[] = [];
      for (const [index, kind] of batch.kinds.entries()) {
        if (kind === RecordKind.blank) continue;
        const text = batch.bytes.toString('utf8', startOf(batch, index), batch.ends[index]);
        try {
          const record: Record<string, unknown> = JSON.parse(text);
          values.push(...this.names.map(name => Buffer.from(String(record[name] ?? ''))));
        } catch {
          faults.set(index, { code: 'bad_quoting', reason: 'the record is not a JSON object' });
        }
      }
      let length = 0;
      const ends = Int32Array.from(values, ({ length: bytes }) => (length += bytes));
      const starts = Int32Array.from(values, ({ length: bytes }, index) => (ends[index] ?? 0) - bytes);
      const width = this.names.length;
      return { rows: values.length / width, width, bytes: Buffer.concat(values), starts, ends, faults };
    };
  }

  faultFinder(): (batch: Batch) => ReadonlyMap<number, Fault> {
    const read = this.fieldReader();
    return batch => read(batch).faults;
  }

  positionOf(batch: Batch, index: number): Position {
    return positionOf(batch, index, lines);
  }

  textsOf(records: Buffer): string[][] {
    const texts = records.toString().split('\n').filter(Boolean);
    return texts.map(text => Object.values(JSON.parse(text) as object).map(String));
  }

  fileOf(records: readonly Buffer[]): Buffer {
    return Buffer.concat(records.flatMap(record => [record, LINE_FEED]));
  }

  compareWith(output: Layout): Comparison {
    return jsonLinesComparison(this.names, addedTo(this, output));
  }

  asRejects(): RejectsFile | undefined {
    if (!rejectColumns.every((name, index) => this.names[index] === name)) return undefined;
    const input = new JsonLinesLayout(this.names.slice(rejectColumns.length));
    return {
      input,
      ending: LINE_FEED,
      hasColumnsOf: () => true,
      readCorrections: (source, options) => jsonLines.readLayout(source, options),
      compareCorrections: (_corrected, output) => jsonLinesComparison(this.names, addedTo(input, output)),
    };
  }

  slice(batch: Batch, from: number, to: number): Batch {
    return sliceBatch(batch, from, to, lines);
  }

  contentEnd(bytes: Uint8Array, start: number, end: number): number {
    return contentEnd(bytes, start, end, lines);
  }

  countLines(bytes: Uint8Array, start: number, end: number): number {
    return countLines(bytes, start, end, lines);
  }

  endsRecord(byte: number | undefined): boolean {
    return byte === 0x0a;
  }

  appended({ predictionType, prefix }: AppendedOptions): Appended {
    const classes = classesOf(predictionType);
    return {
      predictionType,
      isAlone: false,
      names: '',
      empty: wordView(
        Buffer.from(classes.map(name => `,${JSON.stringify(`${prefix}_${name}`)}:null`).join('')),
      ),
      maxBytes: classes.reduce((bytes, name) => bytes + 2 * Buffer.byteLength(prefix + name) + 32, 0),
      writer(predictions) {
        const { probabilities } = ofKind(predictions, 'distribution');
        return (row, into, to) => {
          const at = row * classes.length;
          const members = classes.map((name, index) => [`${prefix}_${name}`, probabilities[at + index]]);
          const text = JSON.stringify(Object.fromEntries(members)).slice(1, -1);
          return to + into.bytes.write(`,${text}`, to);
        };
      },
    };
  }

  outputPreamble(): Buffer {
    return NOTHING;
  }

  merger(appended: Appended): MergeBatch {
    return scored => this.#mergerOf(scored, appended);
  }

  #mergerOf({ batch, faults, predictions }: PredictedBatch, appended: Appended): MergeRecords {
    const { errors } = predictions;
    const write = appended.writer(predictions);
    const members = wordView(Buffer.alloc(appended.maxBytes));
    let persona = 0;
    return (from, to, _, into) => {
      const pieces: Buffer[] = [];
      for (let index = from; index < to; index++) {
        const record = batch.bytes.subarray(startOf(batch, index), batch.ends[index]);
        if (faults.has(index)) continue;
        if (batch.kinds[index] === RecordKind.blank) {
          pieces.push(record);
          continue;
        }
        const brace = record.lastIndexOf('}');
        const row = persona++;
        const added = errors.has(row)
          ? appended.empty.bytes
          : Buffer.from(members.bytes.subarray(0, write(row, members, 0)));
        pieces.push(record.subarray(0, brace), added, record.subarray(brace));
      }
      const merged = Buffer.concat(pieces);
      return into === undefined ? merged : into.subarray(0, merged.copy(into));
    };
  }

  unscored(record: Buffer, isBlank: boolean, appended: Appended): Buffer {
    if (isBlank) return record;
    const brace = record.lastIndexOf('}');
    return Buffer.concat([record.subarray(0, brace), appended.empty.bytes, record.subarray(brace)]);
  }

  rejectsText(rejects: readonly Reject[]): Buffer {
    return rejectsText(rejects);
  }
}

/** The names of the members that were added to the records of an input. */
const addedTo = (input: Layout, output: Layout): string[] =>
  output.names.filter(name => !input.names.includes(name));
