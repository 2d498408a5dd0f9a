import { extname } from 'node:path';
import { RowcastError } from '../../base/errors.ts';
import type { Layout } from '../../formats/format.ts';
import { formats } from '../../formats/formats.ts';
import { nameOfContent } from '../../storage/codecs/codecs.ts';

/**
 * Checks that an output whose name tells a format gets that one: it has the format of its input, and its delimiter, because its
 * rows are the input's bytes. Whoever reads `.tsv` takes a comma for data.
 *
 * @throws RowcastError `wrong_suffix`
 */
export function checkOutputName(
  output: string,
  { format, readAs: { delimiter } }: Pick<Layout, 'format' | 'readAs'>,
): void {
  const name = nameOfContent(output);
  const location = { file: output };
  const named = formats.find(({ isNameOf }) => isNameOf(name));
  if (named !== undefined && named.name !== format) {
    const is = format === 'jsonl' ? 'JSON lines' : 'CSV';
    throw new RowcastError(
      'wrong_suffix',
      `the output is called ${extname(name)}, but would be ${is} like the input`,
      {
        location,
        hint: `Give the output another name, such as .${format}, or convert the input first.`,
      },
    );
  }
  if (delimiter === undefined || delimiter === '\t' || !/\.tsv$/i.test(name)) return;
  throw new RowcastError(
    'wrong_suffix',
    `the output is called .tsv, but would have the delimiter of the input, "${delimiter}"`,
    {
      location,
      hint: 'Give the output another name, such as .csv, or convert the input to tabs first.',
    },
  );
}
