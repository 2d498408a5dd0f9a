import type { Dialect } from '../../../src/base/parse-records.ts';
import { type Appended, type AppendedOptions, ofKind } from '../../../src/formats/appended.ts';
import { wordView } from '../../../src/formats/bytes/word-view.ts';
import { RecordReader } from '../../../src/formats/csv/records/record-reader.ts';
import type {
  BatchOptions,
  Format,
  Layout,
  MergeRecords,
  PredictedBatch,
} from '../../../src/formats/format.ts';
import { type Batch, sliceBatch, startOf } from '../../../src/formats/records/batch.ts';
import type { Fault } from '../../../src/formats/records/faults.ts';
import type { Fields } from '../../../src/formats/records/fields.ts';
import { contentEnd, countLines } from '../../../src/formats/records/line-endings.ts';
import { RecordKind } from '../../../src/formats/records/record-kind.ts';
import type { Reject } from '../../../src/formats/records/reject.ts';
import { classesOf } from '../../../src/scoring/predictions.ts';

/** Lines without fields. */
const lines: Dialect = { delimiter: '\t', quote: undefined, loneCr: false };
const NOTHING = Buffer.alloc(0);

/** JSON Lines: an object on each line, without a header; the first one names the columns. */
export const jsonLines: Format = {
  async readLayout(source) {
    let rest: Buffer = NOTHING;
    while (!rest.includes('\n')) {
      const { value, done } = await source.chunks.next();
      if (done) break;
      rest = Buffer.concat([rest, value]);
    }
    const first: object = JSON.parse(rest.toString('utf8', 0, rest.indexOf('\n')));
    return { layout: new JsonLines(Object.keys(first)), rest };
  },
};

class JsonLines implements Layout {
  readonly data = undefined;
  readonly names: readonly string[];
  readonly columnsHint = undefined;
  readonly preamble = NOTHING;
  readonly start = { offset: 0, row: 1, line: 1 };
  readonly format = 'json-lines';
  readonly dialect = lines;
  readonly longName = undefined;
  readonly mayJoinLines = false;
  readonly rejectsPreamble = NOTHING;

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
      empty: wordView(NOTHING),
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

  merger({ batch, faults, predictions }: PredictedBatch, appended: Appended): MergeRecords {
    const { errors } = predictions;
    const write = appended.writer(predictions);
    const members = wordView(Buffer.alloc(appended.maxBytes));
    let persona = 0;
    return (from, to) => {
      const pieces: Buffer[] = [];
      for (let index = from; index < to; index++) {
        const record = batch.bytes.subarray(startOf(batch, index), batch.ends[index]);
        if (faults.has(index)) continue;
        if (batch.kinds[index] === RecordKind.blank || errors.has(persona++)) pieces.push(record);
        else {
          const brace = record.lastIndexOf('}');
          const end = write(persona - 1, members, 0);
          pieces.push(record.subarray(0, brace), Buffer.from(members.bytes.subarray(0, end)));
          pieces.push(record.subarray(brace));
        }
      }
      return Buffer.concat(pieces);
    };
  }

  unscored(record: Buffer): Buffer {
    return record;
  }

  rejectsText(rejects: readonly Reject[]): Buffer {
    return Buffer.from(rejects.map(reject => `${JSON.stringify(reject)}\n`).join(''));
  }
}
