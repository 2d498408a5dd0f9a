/** For an input of unknown size: an upload then holds 312 GiB. */
const DEFAULT_PART_BYTES = 32 << 20;
/** The smallest and largest that are chosen; S3 accepts 5 MiB to 5 GiB. */
const SMALL_PART_BYTES = 8 << 20;
const LARGE_PART_BYTES = 512 << 20;

/**
 * The size of the parts of an output: 9,000 of the 10,000 that S3 allows hold one that is half as large again as its input.
 *
 * @param inputBytes undefined if not known
 */
export function partBytesFor(inputBytes: number | undefined): number {
  if (inputBytes === undefined) return DEFAULT_PART_BYTES;
  const needed = Math.ceil((1.5 * inputBytes) / 9_000);
  const whole = Math.ceil(needed / (1 << 20)) * (1 << 20);
  return Math.min(LARGE_PART_BYTES, Math.max(SMALL_PART_BYTES, whole));
}
