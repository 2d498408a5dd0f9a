import { inflateRawSync } from 'node:zlib';

/**
 * Signatures and sizes of the records of a zip file (PKWARE, APPNOTE.TXT 6.3, section 4.3), without their variable
 * parts.
 */
const END = { signature: 0x06054b50, bytes: 22 };
const ENTRY = { signature: 0x02014b50, bytes: 46 };
const LOCAL = { signature: 0x04034b50, bytes: 30 };
const STORED = 0;
const DEFLATED = 8;

/** Longer texts would not fit into a string. */
const MAX_BYTES = 2 ** 29 - 1;
/** What is larger than both of these was not written by training, whose models shrink to a tenth. */
const PLAIN_BYTES = 16 << 20;
const MAX_GROWTH = 100;

/**
 * The contents of a file in a zip; undefined if the zip has no file of that name. JSZip takes ten times as long to load
 * as this to run.
 *
 * @throws Error if this is not a zip file, or if the file in it is much larger than the zip
 */
export function zipEntry(zip: Buffer, name: string): Buffer | undefined {
  const end = endOf(zip);
  const count = zip.readUInt16LE(end + 10);
  let at = zip.readUInt32LE(end + 16);
  for (let entry = 0; entry < count; entry++) {
    check(zip, at, ENTRY);
    const nameBytes = zip.readUInt16LE(at + 28);
    const nameEnd = at + ENTRY.bytes + nameBytes;
    if (zip.toString('utf8', at + ENTRY.bytes, nameEnd) === name) return contentsOf(zip, at);
    at = nameEnd + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return undefined;
}

/** Where the last record begins. A comment may follow it. */
function endOf(zip: Buffer): number {
  let at = zip.length - END.bytes;
  while (at >= 0 && zip.readUInt32LE(at) !== END.signature) at--;
  if (at < 0) throw new Error('it is not a zip file');
  return at;
}

function contentsOf(zip: Buffer, entry: number): Buffer {
  const method = zip.readUInt16LE(entry + 10);
  const bytes = zip.readUInt32LE(entry + 20);
  const local = zip.readUInt32LE(entry + 42);
  check(zip, local, LOCAL);
  const from = local + LOCAL.bytes + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
  if (from + bytes > zip.length) throw new Error('the zip file is cut off');
  const stored = zip.subarray(from, from + bytes);
  if (method === STORED) return stored;
  if (method !== DEFLATED) throw new Error(`it is compressed by a method that is not known, ${method}`);
  const size = zip.readUInt32LE(entry + 24);
  if (size > Math.min(MAX_BYTES, Math.max(PLAIN_BYTES, MAX_GROWTH * bytes)))
    throw new Error(`it is compressed to a hundredth or less, from ${size} bytes`);
  // It ends at the size that was announced, whatever it would become.
  return inflateRawSync(stored, { maxOutputLength: Math.max(1, size) });
}

function check(zip: Buffer, at: number, { signature, bytes }: typeof ENTRY): void {
  if (at + bytes > zip.length || zip.readUInt32LE(at) !== signature)
    throw new Error('the zip file is damaged');
}
