import { RowcastError } from '../../base/errors.ts';
import { sanitize } from '../../base/sanitize.ts';

/** Decodes text in pieces; none of the bytes is replaced. */
type Decoder = InstanceType<typeof TextDecoder>;

/** The encoding whose byte order the first bytes tell. */
const UTF_16 = /^utf-?16$/i;

/**
 * The bytes of a text in UTF-8. A byte order mark stays one.
 *
 * @param encoding a name of the WHATWG Encoding Standard, which `checkEncoding` has accepted
 * @param file for messages
 * @throws RowcastError `bad_encoding` where the bytes are not valid in the encoding
 */
export async function* transcode(
  chunks: AsyncIterable<Buffer>,
  encoding: string,
  file: string,
): AsyncGenerator<Buffer> {
  let decoder: Decoder | undefined;
  let held: Buffer = Buffer.alloc(0);
  let offset = 0;
  const decode = (bytes: Buffer | undefined): Buffer => {
    decoder ??= decoderOf(
      UTF_16.test(encoding) && held[0] === 0xfe && held[1] === 0xff ? 'utf-16be' : encoding,
    );
    try {
      return Buffer.from(bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true }));
    } catch (cause) {
      const to = offset + (bytes?.length ?? 0);
      throw new RowcastError(
        'bad_encoding',
        `the input is not valid ${sanitize(encoding)}, between bytes ${offset} and ${to}`,
        {
          severity: 'stopped',
          location: { file },
          hint: 'Check --encoding, and that the file is complete.',
          cause,
        },
      );
    }
  };
  for await (const chunk of chunks) {
    let bytes: Buffer = chunk;
    // The first two bytes may be a byte order mark; a pipe may deliver them one by one.
    if (decoder === undefined) {
      held = Buffer.concat([held, chunk]);
      if (held.length < 2) continue;
      bytes = held;
    }
    const text = decode(bytes);
    offset += bytes.length;
    // An empty chunk would mean that nothing has arrived.
    if (text.length > 0) yield text;
  }
  for (const text of [decoder === undefined ? decode(held) : undefined, decode(undefined)])
    if (text !== undefined && text.length > 0) yield text;
}

/** @throws RowcastError `bad_option` for a name that is not known */
export function checkEncoding(encoding: string): void {
  decoderOf(encoding);
}

/**
 * The name that `iconv` has for an encoding that `checkEncoding` has accepted. It may decode others of its names
 * differently, such as latin1.
 */
export const nameForIconv = (encoding: string): string =>
  UTF_16.test(encoding) ? 'utf-16' : decoderOf(encoding).encoding.replace(/^x-|-i$/g, '');

function decoderOf(encoding: string): Decoder {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
  } catch (cause) {
    throw new RowcastError('bad_option', `--encoding: there is no encoding "${sanitize(encoding)}"`, {
      hint: 'Use a name of the WHATWG Encoding Standard, such as windows-1252, iso-8859-2, shift_jis or utf-16.',
      cause,
    });
  }
}

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
