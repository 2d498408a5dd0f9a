import type { PipedFile } from '../../base/shell-pipe.ts';
import { filteredBy } from '../filtered-by.ts';
import { type MalformedCause, type MalformedRecord, mostFrequentCause } from '../records/reject.ts';

/** An object, behind which a comma separates it from the next one of a list. */
const WITH_COMMA = /^\s*\{.*\}\s*,\s*$/s;

/**
 * Why the lines of JSON lines are malformed.
 *
 * @param records in input order
 * @param file for the command
 */
export function whyMalformed(records: readonly MalformedRecord[], file: PipedFile): MalformedCause {
  const texts = records.map(({ record }) => record.toString());
  const [example] = records;
  if (texts[0]?.trimStart().startsWith('['))
    return { cause: 'the lines are those of a list', remedy: filteredBy(file, "jq -c '.[]'"), example };
  const withComma = records.filter((_, index) => WITH_COMMA.test(texts[index] ?? ''));
  if (2 * withComma.length > texts.length)
    return {
      cause: `${withComma.length === texts.length ? 'the' : 'most'} lines end with a comma`,
      remedy: filteredBy(file, "sed 's/,[[:space:]]*$//'"),
      example: withComma[0],
    };
  if (texts[0]?.trim() === '{')
    return { cause: 'an object has several lines', remedy: filteredBy(file, 'jq -c .'), example };
  return mostFrequentCause(records, 'Write one JSON object on each line.');
}
