import { type CsvParts, csvLayout, receivedParts } from './csv/csv-layout.ts';
import type { Layout, LayoutData } from './format.ts';
import { type CsvAsLinesParts, csvAsLines } from './jsonl/csv-as-lines.ts';
import { type LineParts, lineLayout } from './jsonl/jsonl-layout.ts';
import { type LinesAsCsvParts, linesAsCsv } from './jsonl/lines-as-csv.ts';

/**
 * Makes a layout of its data, in a thread that did not read the beginning of the input. Such a thread gets text,
 * whatever the file is, so it loads nothing of other formats.
 */
export function layoutFrom(data: LayoutData): Layout {
  if (data.format === 'csv') return csvLayout(receivedParts(data.value as CsvParts)); // made by `csvLayout`
  const value = data.value as LineParts | LinesAsCsvParts | CsvAsLinesParts; // made by the layouts of lines
  if ('read' in value) return csvAsLines(csvLayout(receivedParts(value.read)), value.options, value.file);
  if (!('written' in value)) return lineLayout(value);
  return linesAsCsv({ shape: value.shape, written: receivedParts(value.written) });
}
