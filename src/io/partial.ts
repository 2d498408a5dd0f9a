import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { WritableFile } from './files.ts';

/** How far a partial file is. */
export interface Extent {
  /** Bytes of the file. */
  bytes: number;
  /** Bytes of output that they hold. */
  uncompressed: number;
}

/** A file that is written from front to back, and may be cut off and gone on with at `settled`. */
export interface PartialFile {
  /** The last point at which it can be cut off, as far as it is written. */
  readonly settled: Extent;
  write(bytes: Buffer): Promise<void>;
  /** Makes all that is settled durable. */
  sync(): Promise<void>;
  /** Writes what is held back, and makes all durable. */
  finish(): Promise<void>;
  close(): Promise<void>;
}

/** A plain file: it can be cut off anywhere. */
export function plainPartial(file: WritableFile, from: Extent): PartialFile {
  const settled = { ...from };
  return {
    settled,
    async write(bytes) {
      await file.write(bytes, settled.bytes);
      settled.bytes += bytes.length;
      settled.uncompressed += bytes.length;
    },
    sync: () => file.sync(),
    finish: () => file.sync(),
    close: () => file.close(),
  };
}

/** Bytes of output in a gzip member: large beside deflate's window of 32 KiB, so little is lost. */
export const MEMBER_BYTES = 1 << 20;
/** Members that are compressed or written while the next one fills. */
const MEMBERS_AT_ONCE = 2;

const compress = promisify(gzip);

/**
 * A gzip file of members (RFC 1952 section 2.2) that hold `MEMBER_BYTES` each, compressed whole: it can be cut
 * off between them, and its bytes do not depend on where it was.
 */
export function gzipPartial(file: WritableFile, from: Extent): PartialFile {
  const settled = { ...from };
  let member: Buffer[] = [];
  let held = 0;
  const underWay: Promise<void>[] = [];
  let last: Promise<void> = Promise.resolve();

  const writeMember = async (): Promise<void> => {
    const bytes = Buffer.concat(member, held);
    member = [];
    held = 0;
    const compressed = compress(bytes);
    const written = Promise.all([compressed, last]).then(async ([packed]) => {
      await file.write(packed, settled.bytes);
      settled.bytes += packed.length;
      settled.uncompressed += bytes.length;
    });
    // A failure is met when it is waited for; until then it is no unhandled rejection.
    written.catch(() => {});
    last = written;
    underWay.push(written);
    if (underWay.length > MEMBERS_AT_ONCE) await underWay.shift();
  };

  return {
    settled,
    async write(bytes) {
      for (let at = 0; at < bytes.length; ) {
        const part = bytes.subarray(at, at + MEMBER_BYTES - held);
        member.push(part);
        held += part.length;
        at += part.length;
        if (held === MEMBER_BYTES) await writeMember();
      }
    },
    sync: () => file.sync(),
    async finish() {
      if (held > 0) await writeMember();
      await Promise.all(underWay);
      await file.sync();
    },
    async close() {
      await last.catch(() => {}); // it was told to whoever wrote
      await file.close();
    },
  };
}
