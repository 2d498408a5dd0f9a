import { formatList } from '../../../base/sanitize.ts';
import { isObject } from '../is-object.ts';

/** The shape of a JSON value, for messages: they say nothing of its content, which may be values of a row. */
export function shapeOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number') return 'a number';
  if (typeof value === 'boolean') return 'true or false';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return isObject(value) ? `an object with the members ${formatList(Object.keys(value))}` : 'not JSON';
}
