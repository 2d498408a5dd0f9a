import type { Format } from '../../../../src/formats/format.ts';
import { JsonLinesLayout } from './json-lines-layout.ts';

/** JSON Lines: an object on each line, without a header; the first well-formed one names the columns. */
export const jsonLines: Format = {
  name: 'json-lines',
  isNameOf: file => /\.(jsonl|ndjson)$/i.test(file),
  begins: bytes => /^\s*\{\s*"/.test(bytes.toString('latin1')),
  async readLayout(source) {
    let rest: Buffer = Buffer.alloc(0);
    for (;;) {
      const { value, done } = await source.chunks.next();
      if (value !== undefined) rest = Buffer.concat([rest, value]);
      const names = firstNames(rest, done === true);
      if (names !== undefined || done) return { layout: new JsonLinesLayout(names ?? []), rest };
    }
  },
  // As in `data` of a layout.
  layoutFrom: ({ value }) => new JsonLinesLayout(value as string[]),
  readAs: () => ({}),
};

/** The names in the first complete line that is a JSON object. */
function firstNames(bytes: Buffer, last: boolean): string[] | undefined {
  const lines = bytes.toString().split('\n');
  for (const line of last ? lines : lines.slice(0, -1))
    try {
      return Object.keys(JSON.parse(line) as object);
    } catch {
      // Blank, or malformed: that is reported when it is read.
    }
  return undefined;
}
