import { RowcastError } from '../../base/errors.ts';
import { sanitize } from '../../base/sanitize.ts';

/** By then, a CSV in UTF-16 has had a character of ASCII, such as a delimiter or a line ending, and so a zero byte. */
const MAX_BYTES = 256;

/**
 * Passes a text on, unless it is said to be in UTF-16 and begins as a text in UTF-8: read as UTF-16, most of its bytes
 * would be valid, and its header a single strange name.
 *
 * @param encoding a name of the WHATWG Encoding Standard, which `checkEncoding` has accepted
 * @throws RowcastError `bad_encoding`
 */
export async function* expectUtf16(
  chunks: AsyncIterable<Buffer>,
  encoding: string,
  file: string,
): AsyncGenerator<Buffer> {
  let first: Buffer | undefined = new TextDecoder(encoding).encoding.startsWith('utf-16')
    ? Buffer.alloc(0)
    : undefined;
  for await (const chunk of chunks) {
    if (first === undefined) {
      yield chunk;
      continue;
    }
    first = Buffer.concat([first, chunk]);
    if (first.length < MAX_BYTES && !first.includes(0)) continue;
    refuseUtf8(first, encoding, file);
    yield first;
    first = undefined;
  }
  if (first === undefined || first.length === 0) return;
  refuseUtf8(first, encoding, file);
  yield first;
}

function refuseUtf8(first: Buffer, encoding: string, file: string): void {
  if (first.includes(0) || !isUtf8Beginning(first)) return;
  throw new RowcastError(
    'bad_encoding',
    `the input is not ${sanitize(encoding)}: it begins as a text in UTF-8`,
    {
      location: { file },
      hint: 'Leave out --encoding if the file is UTF-8, or name the encoding that it has.',
    },
  );
}

/** Whether bytes are UTF-8, perhaps up to a character that is cut off. */
function isUtf8Beginning(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
