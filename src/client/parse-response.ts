import { formatList, sanitize } from '../base/sanitize.ts';
import { StringScanner } from '../formats/json/scan-string.ts';

/**
 * Parses a response with predictions, which may contain the bare tokens NaN, Infinity and -Infinity. They are not JSON,
 * but Python writes them. They become null and infinite numbers, neither of which is a valid prediction, so each costs
 * its row only.
 *
 * @throws InvalidResponse
 */
export function parseResponse(body: Buffer): unknown {
  return parseResponseText(jsonText(body));
}

/** As `parseResponse`, from a text that is safe to parse. @throws InvalidResponse */
export function parseResponseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return parseWithTokens(text);
  }
}

function parseWithTokens(text: string): unknown {
  const json = text.replace(TOKENS, token => {
    if (token.startsWith('"')) return token;
    if (token === 'NaN') return 'null';
    return token === 'Infinity' ? TOO_LARGE : `-${TOO_LARGE}`;
  });
  try {
    return JSON.parse(json);
  } catch {
    throw new InvalidResponse(`the response is not JSON: "${sanitize(text)}"`);
  }
}

/** A string, which may contain such words, or a token. */
const TOKENS = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"|(?<![\w.])(?:-?Infinity|NaN)(?!\w)/g;

/** A number of JSON that is read as infinity. */
const TOO_LARGE = '1e999';

/** Whether a JSON value is an object, and not a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

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

/** Maximum nesting depth of a response. */
const MAX_DEPTH = 32;

const QUOTE = 0x22;

/** Brackets and braces differ only in this bit. */
const BRACE = 0x20;

const OPENING = 0x7b;

const CLOSING = 0x7d;

/**
 * Whether JSON is nested more deeply than any valid response. Checked before parsing: each level needs a hundred times
 * its size in memory, and code that walks the result recurses once per level. A parser stops at the first string that
 * is not valid, and so does this.
 */
function isDeep(json: Buffer): boolean {
  const strings = new StringScanner();
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] ?? 0;
    if (byte === QUOTE) {
      if (strings.scan(json, at) === undefined) return false;
      at = strings.end - 1;
    } else if ((byte | BRACE) === OPENING) {
      if (++depth > MAX_DEPTH) return true;
    } else if ((byte | BRACE) === CLOSING) depth--;
  }
  return false;
}

/**
 * The body as text, checked so that it is safe to parse.
 *
 * @throws InvalidResponse
 */
export function jsonText(body: Buffer): string {
  if (isDeep(body)) throw new InvalidResponse('the response is nested too deeply');
  return body.toString('utf8');
}

/**
 * Parses the JSON of a small response.
 *
 * @throws InvalidResponse
 */
export function parseJson(body: Buffer): unknown {
  const text = jsonText(body);
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidResponse(`the response is not JSON: "${sanitize(text)}"`);
  }
}

/** A response that must not be merged (G4 in docs/design.md). */
export class InvalidResponse extends Error {
  override readonly name = 'InvalidResponse';
  /** Whether the model is no longer the one that the run began with. */
  readonly classesChanged: boolean;
  readonly code: 'wrong_answer' | 'report_changed';

  constructor(message: string, changed = false, code: InvalidResponse['code'] = 'wrong_answer') {
    super(message);
    this.classesChanged = changed;
    this.code = code;
  }
}
