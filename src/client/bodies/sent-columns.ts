import type { MissingStyle } from '../../base/contract/sent-types.ts';
import { type WordView, wordView } from '../../formats/bytes/word-view.ts';
import { isNumber } from '../../formats/json/write-bytes.ts';
import type { BodyWriter } from './body-writer.ts';
import type { CellType } from './cell-type.ts';
import { missingText } from './missing-value.ts';
import type { SentValues } from './sent-values.ts';

/** A column of a body, which writes its values as JSON. */
export interface SentColumn {
  /** Index of its field in a record. */
  readonly index: number;
  isMissing(bytes: Buffer, start: number, end: number): boolean;
  /** Writes what comes before the value, and the value `from.bytes[start, end)`. */
  write(from: WordView, start: number, end: number, into: BodyWriter): void;
}

export interface ColumnsText {
  /** What comes before each value of a column: the name of a member, or only a comma. */
  before: (name: string, place: number) => string;
  /** How a column of a type is written. */
  cellOf: (type: string | undefined) => CellType;
  /** How a missing value is written. */
  missing: MissingStyle;
}

/** The columns of a body. Values are copied from the bytes of a batch and never become strings. */
export function sentColumns(
  { features, nulls }: Pick<SentValues, 'features' | 'nulls'>,
  { before, cellOf, missing }: ColumnsText,
): SentColumn[] {
  const isMissing = missingIn(nulls);
  const hasNulls = nulls.length > 0;
  return features.map(({ name, index, type }, place) => {
    const text = before(name, place);
    const cell = cellOf(type);
    const opening = viewOf(text);
    const openingMissing = viewOf(`${text}${missingText(missing, cell) ?? 'null'}`);
    if (cell === 'json' || cell === 'text') {
      const isText = cell === 'text';
      return {
        index,
        isMissing,
        // This is what most columns are, so it does nothing that only others need.
        write(from, start, end, into) {
          if (start === end || (hasNulls && isMissing(from.bytes, start, end))) into.copy(openingMissing);
          else into.member(opening, from, start, end, isText);
        },
      };
    }
    const openingTrue = viewOf(`${text}true`);
    const openingFalse = viewOf(`${text}false`);
    return {
      index,
      isMissing,
      write(from, start, end, into) {
        if (start === end || (hasNulls && isMissing(from.bytes, start, end))) into.copy(openingMissing);
        else if (cell === 'boolean') into.copy(isTrue(from.bytes[start]) ? openingTrue : openingFalse);
        else if (cell === 'any' && !isNumber(from.bytes, start, end, true))
          into.member(opening, from, start, end, true);
        else into.number(opening, from, start, end);
      },
    };
  });
}

/** Whether a field is a missing value: empty, or one of the texts that stand for it. */
export function missingIn(nulls: readonly string[]): (bytes: Buffer, start: number, end: number) => boolean {
  const texts = nulls.map(text => Buffer.from(text));
  return (bytes, start, end) =>
    start === end ||
    (texts.length > 0 &&
      texts.some(
        text => end - start === text.length && bytes.compare(text, 0, text.length, start, end) === 0,
      ));
}

const [ONE, SMALL_T] = [0x31, 0x74];
/** Letters of ASCII differ from the capital ones in this bit. */
const LOWER_CASE = 0x20;

/** Whether a value that is known to be a boolean begins as `true`, `t` or `1`. */
const isTrue = (first = 0): boolean => first === ONE || (first | LOWER_CASE) === SMALL_T;

const viewOf = (text: string): WordView => wordView(Buffer.from(text));
