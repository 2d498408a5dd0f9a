/** A table of keys, in memory. */
@unmanaged
class Keys {
  /** The keys of `capacity` entries, 16 bytes each. */
  ring: usize;
  capacity: i32;
  /** The entry that is written next. */
  next: i32;
  /** Buckets of 16 numbers, the last ones first: an entry, and as many bits of its key as are left. */
  buckets: usize;
  lastBucket: i32;
  /** Nobody reads it: it is written so that the compiler does not leave out what fetches the buckets. */
  fetched: i32;
}

const ENTRY: i32 = 0x1fffff;
const TAG: i32 = ~ENTRY;
/** Rows whose buckets are fetched into the cache before they are looked at. */
const FETCHED: i32 = 64;

/** Which rows are added: none, those that are not there, or all. */
const NONE = 0;
const ALL = 2;

/** What to do with a row. */
const FIND = 0;
const TAKE_ENTRY = 2;

/**
 * Finds rows by key, and adds rows, as `KeyTable` says (src/scoring/reuse/key-table.ts).
 *
 * @param keys of the rows
 * @param entries what to do with each row; then the entry with its key, or -1
 * @param kept how many of the last entries are found
 * @returns how many were found
 */
export function findKeys(table: usize, keys: usize, rows: i32, entries: usize, adds: i32, kept: i32): i32 {
  const from = changetype<Keys>(table);
  const ring = from.ring;
  const capacity = from.capacity;
  const buckets = from.buckets;
  const lastBucket = from.lastBucket;
  const tagBits = i32x4.splat(TAG);
  let next = from.next;
  let found = 0;
  let fetched: i32 = 0;
  for (let first = 0; first < rows; first += FETCHED) {
    const last = min(first + FETCHED, rows);
    for (let row = first; row < last; row++)
      fetched |= load<i32>(bucketOf(load<i32>(keys + ((<usize>row) << 4)), buckets, lastBucket));
    for (let row = first; row < last; row++) {
      const key = v128.load(keys + ((<usize>row) << 4));
      const todo = load<i32>(entries + ((<usize>row) << 2));
      let entry: i32 = -1;
      if (todo === FIND) {
        let place: usize = 0;
        const bucket = bucketOf(i32x4.extract_lane(key, 0), buckets, lastBucket);
        const tag = i32x4.extract_lane(key, 1) & TAG;
        const tags = i32x4.splat(tag);
        const b0 = v128.load(bucket);
        const b1 = v128.load(bucket, 16);
        const b2 = v128.load(bucket, 32);
        const b3 = v128.load(bucket, 48);
        let same =
          i32x4.bitmask(i32x4.eq(v128.and(b0, tagBits), tags)) |
          (i32x4.bitmask(i32x4.eq(v128.and(b1, tagBits), tags)) << 4) |
          (i32x4.bitmask(i32x4.eq(v128.and(b2, tagBits), tags)) << 8) |
          (i32x4.bitmask(i32x4.eq(v128.and(b3, tagBits), tags)) << 12);
        for (; same !== 0 && entry === -1; same &= same - 1) {
          place = (<usize>ctz(same)) << 2;
          const candidate = load<i32>(bucket + place) & ENTRY;
          let age = next - 1 - candidate;
          if (age < 0) age += capacity;
          if (age < kept && i8x16.all_true(i8x16.eq(v128.load(ring + ((<usize>candidate) << 4)), key)))
            entry = candidate;
        }
        if (entry !== -1) found++;
        if (adds === ALL || (adds !== NONE && entry === -1)) {
          if (entry !== -1) {
            // The one before is not needed any more: a key that occurs often pushes no others out.
            for (let to = bucket + place; to > bucket; to -= 4) store<i32>(to, load<i32>(to - 4));
            store<i32>(bucket, tag | next);
          } else {
            v128.store(bucket, v128.shuffle<i32>(i32x4.splat(tag | next), b0, 0, 4, 5, 6));
            v128.store(bucket, v128.shuffle<i32>(b0, b1, 3, 4, 5, 6), 16);
            v128.store(bucket, v128.shuffle<i32>(b1, b2, 3, 4, 5, 6), 32);
            v128.store(bucket, v128.shuffle<i32>(b2, b3, 3, 4, 5, 6), 48);
          }
          v128.store(ring + ((<usize>next) << 4), key);
          if (++next === capacity) next = 0;
          kept++;
        }
      } else if (todo === TAKE_ENTRY) {
        v128.store(ring + ((<usize>next) << 4), i64x2.splat(0));
        if (++next === capacity) next = 0;
        kept++;
      }
      store<i32>(entries + ((<usize>row) << 2), entry);
    }
  }
  from.next = next;
  from.fetched = fetched;
  return found;
}

function bucketOf(word: i32, buckets: usize, lastBucket: i32): usize {
  return buckets + ((<usize>(word & lastBucket)) << 6);
}
