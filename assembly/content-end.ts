const LF = 0x0a;
const CR = 0x0d;

/** As `contentEnd` in src/formats/csv/dialect.ts. */
export function contentEnd(bytes: usize, start: i32, end: i32, endsWithCr: bool): i32 {
  if (end === start) return end;
  const last = load<u8>(bytes + end - 1);
  if (last === LF) return end - 1 > start && load<u8>(bytes + end - 2) === CR ? end - 2 : end - 1;
  return endsWithCr && last === CR ? end - 1 : end;
}
