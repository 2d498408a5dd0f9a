import { isNumber } from './write-bytes.ts';

/** A field that is not missing as a JSON value, by the rules of `client/bodies/sent-columns.ts`. */
export function encodeValue(field: string, type: string | undefined): string {
  const bytes = Buffer.from(field);
  return isText(type) || !isNumber(bytes, 0, bytes.length) ? JSON.stringify(field) : field;
}

/** Whether the values of a column are strings, whatever they look like. */
export const isText = (type: string | undefined): boolean => type === 'categorical' || type === 'text';
