import { type CsvParts, csvLayout, receivedParts } from './csv/csv-layout.ts';
import type { Layout, LayoutData } from './format.ts';
import type { CsvAsLinesParts } from './jsonl/csv-as-lines.ts';
import type { LineParts } from './jsonl/jsonl-layout.ts';
import type { LinesAsCsvParts } from './jsonl/lines-as-csv.ts';

/**
 * Makes a layout of its data, in a thread that did not read the beginning of the input. Such a thread gets text,
 * whatever the file is, so it loads nothing of other formats.
 */
export async function layoutFrom(data: LayoutData): Promise<Layout> {
  if (data.format === 'csv') return csvLayout(receivedParts(data.value as CsvParts)); // made by `csvLayout`
  const value = data.value as LineParts | LinesAsCsvParts | CsvAsLinesParts; // made by the layouts of lines
  if ('read' in value) {
    const { csvAsLines } = await import('./jsonl/csv-as-lines.ts');
    return csvAsLines(csvLayout(receivedParts(value.read)), value.options, value.file);
  }
  if (!('written' in value)) {
    const { lineLayout } = await import('./jsonl/jsonl-layout.ts');
    return lineLayout(value);
  }
  const { linesAsCsv } = await import('./jsonl/lines-as-csv.ts');
  return linesAsCsv({ shape: value.shape, written: receivedParts(value.written) });
}
