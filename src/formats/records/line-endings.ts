export const LF = 0x0a;
export const CR = 0x0d;

/** Which bytes end a record besides LF and CRLF. */
export interface LineEndings {
  /** Whether a lone CR ends a record. */
  readonly loneCr: boolean;
}

/** Offset at which the content of the record `bytes[start, end)` ends and its line ending, if any, begins. */
export function contentEnd(bytes: Uint8Array, start: number, end: number, endings: LineEndings): number {
  if (end > start && bytes[end - 1] === LF)
    return end - 1 > start && bytes[end - 2] === CR ? end - 2 : end - 1;
  if (endings.loneCr && end > start && bytes[end - 1] === CR) return end - 1;
  return end;
}

/**
 * Whether a blank line that begins with `byte` would be lost behind a line that ends with `last`: a CR and an LF with
 * nothing between them are one line ending. That happens in a file with lone CRs, where a record between the two is
 * left out; the blank line is written as CR LF then.
 */
export const joinsLine = (last: number | undefined, byte: number | undefined): boolean =>
  last === CR && byte === LF;

/** How many lines end in `bytes[start, end)`, counted as the records end. */
export function countLines(bytes: Uint8Array, start: number, end: number, endings: LineEndings): number {
  let lines = 0;
  if (!endings.loneCr) {
    // Many records are long, so searching for line feeds is faster than a loop over the bytes.
    for (let at = bytes.indexOf(LF, start); at !== -1 && at < end; at = bytes.indexOf(LF, at + 1)) {
      lines++;
      if (at === end - 1) break;
    }
    return lines;
  }
  for (let at = start; at < end; at++) {
    const byte = bytes[at];
    if (byte === LF || (byte === CR && bytes[at + 1] !== LF)) lines++;
  }
  return lines;
}
