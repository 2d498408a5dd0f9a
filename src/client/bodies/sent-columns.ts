import { type WordView, wordView } from '../../formats/bytes/word-view.ts';
import { isText } from '../../formats/json/encode-value.ts';
import type { SentValues } from './body-layout.ts';
import type { BodyWriter } from './body-writer.ts';

/** A column of a body, which writes its values as JSON. */
export interface SentColumn {
  /** Index of its field in a record. */
  readonly index: number;
  /** Writes what comes before the value, and the value `from.bytes[start, end)`. */
  write(from: WordView, start: number, end: number, into: BodyWriter): void;
}

/**
 * The columns of a body. Values are copied from the bytes of a batch and never become strings. The type of a column decides
 * how they are written: categorical and text values are strings, verbatim. Without such a type each value decides for
 * itself, never a sample: a valid JSON number is written verbatim, a missing value as null, and anything else as a string.
 *
 * @param before what comes before each value of a column: the name of a member, or only a comma
 */
export function sentColumns(
  { features, nulls }: SentValues,
  before: (name: string, place: number) => string,
): SentColumn[] {
  const missing = nulls.map(text => Buffer.from(text));
  return features.map(({ name, index, type }, place) => {
    const text = before(name, place);
    const opening = wordView(Buffer.from(text));
    const openingNull = wordView(Buffer.from(`${text}null`));
    const isString = isText(type);
    return {
      index,
      write(from, start, end, into) {
        if (start === end || (missing.length > 0 && isMissing(missing, from.bytes, start, end)))
          into.copy(openingNull);
        else into.member(opening, from, start, end, isString);
      },
    };
  });
}

const isMissing = (missing: readonly Buffer[], bytes: Buffer, start: number, end: number): boolean =>
  missing.some(text => end - start === text.length && bytes.compare(text, 0, text.length, start, end) === 0);
