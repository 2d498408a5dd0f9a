import type { Dialect } from '../../base/parse-records.ts';

/** Lines as records without fields; they end with LF or CRLF. */
export const lines: Dialect = { delimiter: '\t', quote: undefined, loneCr: false };
