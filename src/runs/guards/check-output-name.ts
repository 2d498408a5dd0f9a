import { extname } from 'node:path';
import { RowcastError } from '../../base/errors.ts';
import type { Layout } from '../../formats/format.ts';
import type { WrittenFile } from '../../formats/output-columns.ts';
import { nameOfContent } from '../../storage/codecs/codecs.ts';

/**
 * Checks that an output whose name tells a format gets that one. Whoever reads `.tsv` takes a comma for data.
 *
 * @throws RowcastError `wrong_suffix`
 */
export function checkOutputName(
  output: string,
  { format, readAs: { delimiter } }: Pick<Layout, 'format' | 'readAs'>,
  { name, format: written = format }: WrittenFile,
): void {
  const location = { file: output };
  const plain = nameOfContent(output);
  if (written === 'parquet' && plain !== output)
    throw new RowcastError(
      'wrong_suffix',
      `the output is called ${extname(output)}, but Parquet is compressed inside`,
      {
        location,
        hint: `Give it the name ${plain}.`,
      },
    );
  if (delimiter === undefined || delimiter === '\t' || !/\.tsv$/i.test(name)) return;
  throw new RowcastError(
    'wrong_suffix',
    format === 'jsonl'
      ? 'the output is called .tsv, but what is made of JSON lines has commas'
      : `the output is called .tsv, but would have the delimiter of the input, "${delimiter}"`,
    {
      location,
      hint: `Give the output another name, such as .csv${format === 'jsonl' ? '' : ', or convert the input to tabs first'}.`,
    },
  );
}

/**
 * Checks that no option is given that an input of this format does not have.
 *
 * @throws RowcastError `bad_option`
 */
export function checkInputOptions(
  { input, encoding }: { input: string; encoding?: string | undefined },
  { rows }: Pick<Layout, 'rows'>,
): void {
  if (encoding === undefined || rows === undefined) return;
  throw new RowcastError('bad_option', '--encoding: the texts of Parquet are UTF-8', {
    location: { file: input },
    hint: 'Leave it out.',
  });
}
