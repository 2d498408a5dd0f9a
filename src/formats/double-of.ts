/**
 * The number of a text, as a column of doubles has it.
 *
 * @param nulls texts that stand for a missing number
 * @returns null for a missing one; undefined if the text is not a number, or one that a double does not have
 */
export function doubleOf(text: string, nulls: ReadonlySet<string>): number | null | undefined {
  const trimmed = text.trim();
  if (trimmed === '' || nulls.has(text)) return null;
  const number = Number(trimmed);
  if (/^(?:NaN|[+-]?Infinity)$/.test(trimmed)) return number;
  if (!NUMBER.test(trimmed)) return undefined;
  // Too large, or too small.
  if (!Number.isFinite(number) || (number === 0 && /[1-9].*e|^[^e]*[1-9]/i.test(trimmed))) return undefined;
  // A double beyond 2^53 may have a shorter text than that of its integer.
  const isChanged =
    /^[+-]?\d+$/.test(trimmed) && BigInt(trimmed) !== BigInt(number) && trimmed !== String(number);
  return isChanged ? undefined : number;
}

/** The numbers of CSV (docs/formats.md#csv). */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
