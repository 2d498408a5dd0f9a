import { CsvLayout } from './csv/csv-format.ts';
import type { Layout, LayoutData } from './format.ts';

/** Makes a layout of its data, in a thread that did not read the header. */
export function layoutFrom({ header, columns }: LayoutData): Layout {
  const { bytes } = header;
  // Structured cloning makes a Uint8Array of a Buffer.
  return new CsvLayout(
    { ...header, bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length) },
    columns,
  );
}
