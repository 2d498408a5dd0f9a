import { jsonValue } from '../../base/json-value.ts';
import type { Dialect } from '../../base/parse-records.ts';
import type { RecordAt } from '../comparison.ts';
import { StringScanner } from '../json/scan-string.ts';
import { MAX_DEPTH, MAX_PATH, withOuterNames } from './object-reader.ts';

/** A member of an object, in the bytes of that. */
export interface MemberAt {
  readonly name: string;
  /** Where its name begins, with the quote, and ends. */
  readonly start: number;
  readonly nameEnd: number;
  /** Where its value begins and ends. */
  readonly value: number;
  readonly end: number;
}

const [QUOTE, COMMA, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [0x22, 0x2c, 0x7b, 0x7d, 0x5b, 0x5d];

/** The members of the well-formed object `bytes[start, end)`, in order. */
export function membersOf(bytes: Buffer, start: number, end: number): MemberAt[] {
  const strings = new StringScanner();
  const found: MemberAt[] = [];
  let at = bytes.indexOf(OPEN, start) + 1;
  for (;;) {
    at = bytes.indexOf(QUOTE, at);
    if (at === -1 || at >= end) return found;
    const name = at;
    strings.scan(bytes, at);
    const nameEnd = strings.end;
    const value = valueStart(bytes, nameEnd);
    at = valueEnd(bytes, value, end, strings);
    let valueStop = at;
    while (isSpace(bytes[valueStop - 1])) valueStop--;
    found.push({
      name: JSON.parse(bytes.toString('utf8', name, nameEnd)),
      start: name,
      nameEnd,
      value,
      end: valueStop,
    });
    if (bytes[at] !== COMMA) return found;
  }
}

/** The members of a line; none if it is no object. */
export const membersOfLine = ({ bytes, start, contentEnd }: RecordAt): MemberAt[] =>
  objectOn(bytes.toString('utf8', start, contentEnd)) === undefined
    ? []
    : membersOf(bytes, start, contentEnd);

/** Where the comma or brace after a value is. */
function valueEnd(bytes: Buffer, start: number, end: number, strings: StringScanner): number {
  let depth = 0;
  for (let at = start; at < end; ) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      strings.scan(bytes, at);
      at = strings.end;
      continue;
    }
    if (byte === OPEN || byte === OPEN_LIST) depth++;
    if (depth === 0 && (byte === COMMA || byte === CLOSE)) return at;
    if (byte === CLOSE || byte === CLOSE_LIST) depth--;
    at++;
  }
  return end;
}

export const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0d;

/** Lines as records without fields; they end with LF or CRLF. */
export const lines: Dialect = { delimiter: '\t', quote: undefined, loneCr: false };

/** `NaN` and infinities where a value is, as Python and other programs write them. */
const NOT_FINITE = /(?<=[:[,]\s*)(?:NaN|-?Infinity)(?=\s*[,}\]])/g;

/**
 * The object on a line as `ObjectReader` reads it: NaN and infinities, which JSON does not have, are null.
 *
 * @returns undefined if the line is no object
 */
export function objectOn(line: string): Readonly<Record<string, unknown>> | undefined {
  const hasOther = /NaN|Infinity/.test(line);
  const value = jsonValue(line) ?? (hasOther ? jsonValue(line.replace(NOT_FINITE, 'null')) : undefined);
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : undefined;
}

/** The names in an object, in the order of its bytes. */
export interface ObjectNames {
  /** The names of its members. */
  readonly members: readonly string[];
  /** The full names of the values that are not objects with members of their own, such as `a.b`. */
  readonly values: readonly string[];
  /** Those of them that are null, or an empty object. */
  readonly missing: readonly string[];
  /** The full names of objects that have members. */
  readonly outer: readonly string[];
  /** The characters of all full names. */
  readonly length: number;
}

const SMALL_N = 0x6e;

/**
 * The names in a line that is a well-formed object, in one pass.
 *
 * @param most with more values, more objects in others, or more characters in the full names, the rest is not looked at
 * @returns undefined if objects are nested too deep, or if a name is there twice: such a line is malformed
 */
export function namesIn(
  line: Buffer,
  { names: most = Number.POSITIVE_INFINITY, length: mostLength = Number.POSITIVE_INFINITY } = {},
): ObjectNames | undefined {
  const members: string[] = [];
  const values = new Set<string>();
  const missing: string[] = [];
  const outer = new Set<string>();
  const strings = new StringScanner();
  /** What is before the names of each object that has begun. */
  const paths: string[] = [];
  let listDepth = 0;
  let isNameNext = false;
  let length = 0;
  const isEnough = (): boolean => values.size > most || outer.size > most || length > mostLength;
  for (let at = 0; at < line.length && !isEnough(); at++) {
    const byte = line[at];
    if (byte === QUOTE) {
      strings.scan(line, at);
      const start = at;
      at = strings.end - 1;
      if (!isNameNext) continue;
      isNameNext = false;
      const name: string = JSON.parse(line.toString('utf8', start, strings.end));
      if (paths.length === 1) members.push(name);
      const full = `${paths.at(-1)}${name}`;
      length += full.length;
      if (values.has(full) || outer.has(full)) return undefined;
      const inner = firstName(line, strings.end);
      if (inner === undefined) {
        values.add(full);
        const first = line[valueStart(line, strings.end)];
        if (first === OPEN || first === SMALL_N) missing.push(full);
      } else {
        outer.add(full);
        paths.push(`${full}.`);
        if (paths.length > MAX_DEPTH || full.length >= MAX_PATH) return undefined;
        isNameNext = true;
        at = inner - 1;
      }
    } else if (listDepth > 0 || byte === OPEN_LIST) {
      if (byte === OPEN || byte === OPEN_LIST) listDepth++;
      else if (byte === CLOSE || byte === CLOSE_LIST) listDepth--;
    } else if (byte === COMMA) isNameNext = true;
    else if (byte === CLOSE) paths.pop();
    else if (byte === OPEN) {
      // The outermost object, or an empty one.
      isNameNext = paths.length === 0;
      paths.push('');
    }
  }
  return { members, values: [...values], missing, outer: [...outer], length };
}

/** Tells which columns objects with these names have: null is a value, and of `a.b` a null for `a`, too. */
export function hasColumn({
  values,
  outer,
}: Pick<ObjectNames, 'values' | 'outer'>): (name: string) => boolean {
  const [ends, inner] = [new Set(values), new Set(outer)];
  return name => inner.has(name) || withOuterNames(name).some(part => ends.has(part));
}

/**
 * Where the first name of the object is that is the value of the name that ends here; undefined if it is none, or
 * empty.
 */
function firstName(line: Buffer, nameEnd: number): number | undefined {
  let at = valueStart(line, nameEnd);
  if (line[at++] !== OPEN) return undefined;
  while (isSpace(line[at])) at++;
  return line[at] === QUOTE ? at : undefined;
}

function valueStart(line: Buffer, nameEnd: number): number {
  let at = line.indexOf(':', nameEnd) + 1;
  while (isSpace(line[at])) at++;
  return at;
}
