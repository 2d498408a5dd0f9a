const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Control characters must be escaped (RFC 8259 section 7). */
const FIRST_PRINTABLE = 0x20;
const FIRST_NON_ASCII = 0x80;

/** What the bytes between the quotes are. */
export type StringContent = 'ascii' | 'utf8' | 'escapes';

/** Finds the end of JSON strings. One object is used for many, so that none is created for each. */
export class StringScanner {
  /** Offset after the closing quote of the last string. */
  end = 0;

  /**
   * Scans the string whose opening quote is at `start`. Escapes are not validated.
   *
   * @returns undefined if it is not closed or contains a control character
   */
  scan(json: Uint8Array, start: number): StringContent | undefined {
    let at = start + 1;
    let all = 0;
    let escapes = false;
    for (;;) {
      const byte = json[at];
      if (byte === undefined || byte < FIRST_PRINTABLE) return undefined;
      at++;
      if (byte === QUOTE) break;
      all |= byte;
      if (byte !== BACKSLASH) continue;
      escapes = true;
      at++;
    }
    this.end = at;
    if (escapes) return 'escapes';
    return all < FIRST_NON_ASCII ? 'ascii' : 'utf8';
  }
}

/** Half of a surrogate pair, which JSON may have as an escape, and which becomes U+FFFD in UTF-8. */
export const HALF_PAIR = /\p{Surrogate}/u;
