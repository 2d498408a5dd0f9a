import { contentEnd } from './content-end';
import { writeDecimal } from './write-decimal';
import { copy } from './write-value';

/** `RecordKind.blank`. */
const BLANK = 2;
const TAB = 0x09;
const CR = 0x0d;
const SPACE = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** What is before a number, or the text of a class and what is before it. */
@unmanaged
class Text {
  bytes: usize;
  length: i32;
}

/**
 * Writes the appended fields of rows, from `first` on, as `write` of the usual `Appended` does.
 *
 * @param openings a `Text` for each class, which is before its probability
 * @param predicted a `Text` for each class, of which that of the most likely is written; 0 for none
 * @param texts where the fields of all rows are written, one after the other; and as many bytes behind them as a vector has
 * @param textEnds offsets at which those of each row end, after a first one, which is 0
 * @returns the first row with a number that `writeDecimal` does not write
 */
export function appendFields(
  probabilities: usize,
  classes: i32,
  first: i32,
  rows: i32,
  openings: usize,
  predicted: usize,
  texts: usize,
  textEnds: usize,
): i32 {
  probabilities += (<usize>(first * classes)) << 3;
  let at = texts + load<i32>(textEnds + ((<usize>first) << 2));
  for (let row = first; row < rows; row++) {
    let mostLikely = 0;
    let highest = load<f64>(probabilities);
    for (let i = 0; i < classes; i++, probabilities += 8) {
      const probability = load<f64>(probabilities);
      const opening = changetype<Text>(openings + ((<usize>i) << 3));
      at = writeDecimal(probability, copy(opening.bytes, opening.length, at));
      if (at === 0) return row;
      if (probability > highest) {
        highest = probability;
        mostLikely = i;
      }
    }
    if (predicted !== 0) {
      const text = changetype<Text>(predicted + ((<usize>mostLikely) << 3));
      at = copy(text.bytes, text.length, at);
    }
    store<i32>(textEnds + ((<usize>row + 1) << 2), <i32>(at - texts));
  }
  return rows;
}

/**
 * Writes records `[from, to)` with the appended fields of their rows, the first of which is `row`. None is malformed.
 *
 * @param areObjects whether they are before the closing brace of each, and the first one begins with a comma
 * @param merged as many bytes may be written behind them as a vector has
 * @returns the size of what was written
 */
export function mergeRecords(
  bytes: usize,
  recordEnds: usize,
  kinds: usize,
  from: i32,
  to: i32,
  row: i32,
  endsWithCr: bool,
  areObjects: bool,
  texts: usize,
  textEnds: usize,
  merged: usize,
): i32 {
  let start = from === 0 ? 0 : load<i32>(recordEnds + ((<usize>from - 1) << 2));
  /** Everything before it was copied. */
  let done = start;
  let at = merged;
  for (let index = from; index < to; index++) {
    const end = load<i32>(recordEnds + ((<usize>index) << 2));
    if (load<u8>(kinds + index) !== BLANK) {
      let content = contentEnd(bytes, start, end, endsWithCr);
      let text = load<i32>(textEnds + ((<usize>row) << 2));
      if (areObjects) {
        do content--;
        while (load<u8>(bytes + content) !== CLOSE);
        if (isEmpty(bytes + content)) text++;
      }
      at = copy(bytes + done, content - done, at);
      at = copy(texts + text, load<i32>(textEnds + ((<usize>row + 1) << 2)) - text, at);
      row++;
      done = content;
    }
    start = end;
  }
  return <i32>(copy(bytes + done, start - done, at) - merged);
}

/** Whether nothing but spaces is before the closing brace of an object. */
function isEmpty(brace: usize): bool {
  let at = brace - 1;
  let byte = <i32>load<u8>(at);
  while (byte === SPACE || byte === TAB || byte === CR) byte = <i32>load<u8>(--at);
  return byte === OPEN;
}
