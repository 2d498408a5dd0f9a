import { RowcastError } from '../../base/errors.ts';
import type { ReadAs } from '../../formats/read-options.ts';
import { nameOfContent } from '../../storage/codecs/codecs.ts';

/**
 * Checks that an output whose name ends in `.tsv` gets tabs: an output has the delimiter of its input, because its columns are
 * the input's bytes, and whoever reads `.tsv` takes a comma for data.
 *
 * @throws RowcastError `wrong_suffix`
 */
export function checkOutputName(output: string, { delimiter }: ReadAs): void {
  if (delimiter === undefined || delimiter === '\t' || !/\.tsv$/i.test(nameOfContent(output))) return;
  throw new RowcastError(
    'wrong_suffix',
    `the output is called .tsv, but would have the delimiter of the input, "${delimiter}"`,
    {
      location: { file: output },
      hint: 'Give the output another name, such as .csv, or convert the input to tabs first.',
    },
  );
}
