import { RowcastError } from '../../base/errors.ts';
import { DEFAULT_PREFIX } from '../../formats/appended.ts';
import type { Layout } from '../../formats/format.ts';
import type { OutputShape } from './compare-header.ts';
import { OTHERWISE } from './mismatch.ts';
import type { RecordCursor } from './record-cursor.ts';

/** The options that decide how an input is read, as `verify` and the run have them. */
const READING = ['delimiter', 'quote', 'escape', 'names', 'skip-lines', 'encoding', 'input-format'] as const;
const LISTED = `${READING.slice(0, -1)
  .map(name => `--${name}`)
  .join(', ')} or --input-format`;

/**
 * Says in the error of files whose headers differ with which options the run may have read the input.
 *
 * @param input as it was read without them
 */
export function hintAtHeader(
  error: unknown,
  input: Layout,
  output: Layout,
  { prefix }: Pick<OutputShape, 'prefix'>,
): never {
  if (!(error instanceof RowcastError) || error.code !== 'difference') throw error;
  const isAppended = (name: string): boolean => name.startsWith(`${prefix ?? DEFAULT_PREFIX}_`);
  const first = output.names.findIndex(isAppended);
  const own = output.names.slice(0, first === -1 ? undefined : first);
  const found = (own.length > 0 ? input.laterHeader(own) : undefined) ?? input.columnsHint;
  error.hint = `The input may be read in another way than by the run. ${found ?? `Give verify the run's ${LISTED}.`} ${OTHERWISE}`;
  throw error;
}

/**
 * A hint at the options with which the run may have read a record that differs.
 *
 * @param input at the record
 * @param previousIsMalformed whether the row before it is
 */
export function hintAtRecord(input: RecordCursor, previousIsMalformed: boolean): string | undefined {
  const { quote, escape: escaper } = input.layout.readAs;
  const hasQuotes = quote !== undefined && quote !== 'none' && escaper === undefined;
  const records = input.previous === undefined ? [input] : [input.previous, input];
  const isEscaped = records.some(({ bytes, start, contentEnd }) =>
    bytes.toString('latin1', start, contentEnd).includes(`\\${quote}`),
  );
  if (hasQuotes && isEscaped) return `If the run had --escape '\\', give verify the same. ${OTHERWISE}`;
  return previousIsMalformed
    ? `If the run had another --quote, --escape or --delimiter, give verify the same. ${OTHERWISE}`
    : undefined;
}
