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
