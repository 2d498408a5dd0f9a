/** Half of a surrogate pair, which JSON may have as an escape, and which becomes U+FFFD in UTF-8. */
export const HALF_PAIR = /\p{Surrogate}/u;
