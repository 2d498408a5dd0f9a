import type { Format } from '../format.ts';
import { outputColumns } from '../output-columns.ts';
import { requiredNumbers } from '../required-numbers.ts';
import { type CsvLayout, csvLayout } from './csv-layout.ts';
import { dialectOf } from './dialect.ts';
import { FIRST_BYTES, refuseBlank, refuseRule } from './first-lines.ts';
import type { Header } from './header.ts';
import { readHead } from './read-head.ts';

/** CSV and TSV, by the rules of docs/design.md. */
export const csv: Format = {
  name: 'csv',
  isNameOf: file => /\.[ct]sv$/i.test(file),
  // Any text may be CSV. Files of formats that are not read are refused with the first bytes of the header.
  begins: () => true,
  readLayout: async (source, options) => {
    const { header, rest } = await readHead(source, options);
    const columns = outputColumns(header, options, source.name);
    // A copy, because the memory of `rest` is reused.
    const first = Buffer.from(rest.subarray(0, FIRST_BYTES));
    refuseBlank(header, first, source.name);
    refuseRule(header, first, source);
    const layoutOf = (own: Header): CsvLayout =>
      csvLayout({ header: own, columns, groups: options.writes?.groups }, first);
    const numbers = requiredNumbers(layoutOf(header), options, first);
    return { layout: layoutOf({ ...header, numbers }), rest };
  },
  readAs(options, file) {
    const { loneCr, quote, ...others } = dialectOf({ ...options, file });
    return { ...others, quote: quote ?? 'none' };
  },
};
