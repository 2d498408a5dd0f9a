import { sanitize } from '../../base/sanitize.ts';
import { InvalidResponse } from '../invalid-response.ts';
import { jsonText } from '../transport/response-body.ts';

/**
 * Parses a response with predictions, which may contain the bare tokens NaN, Infinity and -Infinity. They are not JSON, but
 * Python writes them. They become null and infinite numbers, neither of which is a valid prediction, so each costs its row
 * only.
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
