import { parseRecords } from '../../../base/parse-records.ts';
import { jsonText } from '../../transport/response-body.ts';
import { parseResponse, parseResponseText } from '../parse-response.ts';

/** Parses a response; returns undefined if it is not JSON. */
export function parseIfJson(body: Buffer): unknown {
  try {
    return parseResponse(body);
  } catch {
    return undefined;
  }
}

/**
 * The predictions of a response that has a line for each row: of JSON, or of CSV without a header. Some models respond with
 * all numbers on one line.
 *
 * @param personas the number of rows sent
 * @returns for a record with several fields, a list
 */
export function rowsOfLines(body: Buffer, personas: number): unknown[] {
  const text = jsonText(body);
  const lines = text.split('\n').filter(line => line.trim() !== '');
  try {
    return lines.map(parseResponseText);
  } catch {
    const records = parseRecords(text, { delimiter: ',', quote: '"', loneCr: false });
    const [first = []] = records;
    const isOneLine = records.length === 1 && personas > 1 && first.length === personas;
    return isOneLine
      ? first.map(valueIn)
      : records.map(fields => (fields.length === 1 ? valueIn(fields[0]) : fields.map(valueIn)));
  }
}

/** A field as JSON would have it: a number, a text, or null if it is missing. */
function valueIn(field = ''): unknown {
  const text = field.trim();
  if (text === '' || text === 'NaN' || text === 'nan') return null;
  return NUMBER.test(text) ? Number(text) : text;
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
