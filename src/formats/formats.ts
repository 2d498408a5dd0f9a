import { csv } from './csv/csv-format.ts';
import type { Format } from './format.ts';

/** The formats that can be read and written, by name. */
export const formats = { csv } as const satisfies Readonly<Record<string, Format>>;

/** The format of inputs whose format is not given. */
export const usualFormat: Format = formats.csv;
