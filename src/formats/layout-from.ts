import { csv } from './csv/csv-format.ts';
import type { Layout, LayoutData } from './format.ts';
import { jsonl } from './jsonl/jsonl-format.ts';

/** The formats of text. A thread needs no other, because it gets the text of any. */
const formats = [jsonl, csv];

/** Makes a layout of its data, in a thread that did not read the beginning of the input. */
export function layoutFrom(data: LayoutData): Layout {
  const format = formats.find(({ name }) => name === data.format);
  if (format === undefined) throw new Error(`no such format: ${data.format}`);
  return format.layoutFrom(data);
}
