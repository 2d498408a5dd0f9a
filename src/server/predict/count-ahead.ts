import type { JsonReader } from './json-reader.ts';

/** Items whose size tells how many the list may have. */
const SAMPLE = 64;
/** Lists that may have this share of the limit are counted; later items may be shorter than the first ones. */
const NEAR = 0.8;

/**
 * Counts the items of a list before they are read, so that a list with too many is refused before any work is done for
 * it. Pauses after each slice of so many bytes, because a long list takes a while. A list that is far too short is not
 * counted: its length follows from the size of its first items.
 *
 * @param json in a list, at its first item, where it also is in the end
 * @returns how many items the list has, as far as is known; more than `most` if it is too long
 */
export function* countAhead(json: JsonReader, most: number, sliceBytes: number): Generator<void, number> {
  const { at: start, members } = json;
  let count = 0;
  let sliceEnd = start + sliceBytes;
  for (let hasMore = true; hasMore && count <= most; ) {
    json.skip();
    count++;
    hasMore = json.another();
    if (hasMore && count === SAMPLE) {
      const projected = Math.ceil(((json.bytes.length - start) * count) / (json.at - start));
      if (projected <= most * NEAR) {
        count = projected;
        break;
      }
    }
    if (json.at >= sliceEnd) {
      yield;
      sliceEnd = json.at + sliceBytes;
    }
  }
  json.at = start;
  json.members = members;
  return count;
}
