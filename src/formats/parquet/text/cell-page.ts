import { readHybrid } from './levels.ts';
import { type CellPage, CellWriter, type TextPage } from './text-page.ts';

/**
 * Returns the values of a page as cells.
 *
 * @throws RangeError if one is not in its dictionary, or the page is cut off
 */
export function cellPage(page: TextPage): CellPage {
  const { rows } = page;
  switch (page.is) {
    case 'cells':
      return page;
    case 'coded': {
      const { bytes, bits, dictionary } = page;
      const codes = new Int32Array(rows);
      const { length } = dictionary.starts;
      if (bits > 0) readHybrid(bytes, 0, bytes.length, bits, codes, length);
      else if (rows > 0 && length === 0) throw new RangeError('a value is not in its dictionary');
      return { is: 'cells', rows, codes, ...dictionary };
    }
    case 'doubles': {
      const cells = new CellWriter(rows, 'csv');
      for (let row = 0; row < rows; row++) cells.addNumber(page.bytes.readDoubleLE(8 * row));
      return { is: 'cells', rows, codes: undefined, ...cells.cells };
    }
  }
}
