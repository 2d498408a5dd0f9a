import type { Format } from '../format.ts';

/** JSON lines: an object on each line, by the rules of docs/formats.md#json-lines. */
export const jsonl: Format = {
  name: 'jsonl',
  isNameOf: file => /\.(jsonl|ndjson)$/i.test(file),
  // The first line is a whole object, or the beginning of a long one. A file with an object over several lines is not
  // JSON lines.
  begins(bytes, isAll) {
    const text = bytes.toString('utf8').replace(/^[\ufeff \t\r\n]+/, '');
    if (text !== '' && !text.startsWith('{')) return false;
    const end = text.indexOf('\n');
    if (end === -1 && !isAll) return undefined;
    const line = text.slice(0, end === -1 ? undefined : end).trimEnd();
    return /^\{[ \t]*(".*|\})$/.test(line) && (end === -1 || line.endsWith('}'));
  },
  // A run from CSV to CSV needs none of it.
  readLayout: async (source, options) => (await import('./lines-as-csv.ts')).readLines(source, options),
  readAs: () => ({}),
};
