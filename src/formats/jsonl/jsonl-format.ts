import type { Format } from '../format.ts';
import { LineLayout, type LineLayoutValue, readLineLayout } from './jsonl-layout.ts';

/** JSON lines: an object on each line, by the rules of docs/json-lines.md. */
export const jsonl: Format = {
  name: 'jsonl',
  isNameOf: file => /\.(jsonl|ndjson)$/i.test(file),
  // The first line is a whole object, or the beginning of a long one. A file with an object over several lines is not JSON lines.
  begins(bytes, isAll) {
    const text = bytes.toString('utf8').replace(/^[\ufeff \t\r\n]+/, '');
    if (text !== '' && !text.startsWith('{')) return false;
    const end = text.indexOf('\n');
    if (end === -1 && !isAll) return undefined;
    const line = text.slice(0, end === -1 ? undefined : end).trimEnd();
    return /^\{[ \t]*(".*|\})$/.test(line) && (end === -1 || line.endsWith('}'));
  },
  readLayout: readLineLayout,
  layoutFrom(data) {
    // `LineLayout` makes them.
    const { shape, columns } = data.value as LineLayoutValue;
    return new LineLayout(shape, columns);
  },
  readAs: () => ({}),
};
