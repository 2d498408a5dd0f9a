import { Transform, type TransformCallback } from 'node:stream';
import { createGunzip, type Gunzip, type ZlibOptions } from 'node:zlib';

/**
 * Decompresses gzip data of any number of members, with zero padding allowed after each of them. On its own, zlib
 * ends the stream at the first zero byte after a member and ignores whatever follows it.
 *
 * Fails with zlib's own errors: `Z_BUF_ERROR` when the data ends inside a member, `Z_DATA_ERROR` when a member is
 * damaged or anything but zero bytes and further members follows one.
 */
export class PaddedGunzip extends Transform {
  readonly #options: Pick<ZlibOptions, 'chunkSize'>;
  /** Decompresses members up to the next padding; undefined within padding. */
  #members: Gunzip | undefined;

  constructor(options: Pick<ZlibOptions, 'chunkSize'> = {}) {
    super();
    this.#options = options;
    this.#members = this.#open();
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    if (this.#members === undefined) {
      const start = chunk.findIndex(byte => byte !== 0);
      if (start === -1) done();
      else {
        this.#members = this.#open();
        this.#decompress(this.#members, chunk.subarray(start), done);
      }
    } else this.#decompress(this.#members, chunk, done);
  }

  override _flush(done: TransformCallback): void {
    if (this.#members === undefined) done();
    else this.#members.once('end', done).end();
  }

  override _read(size: number): void {
    this.#members?.resume();
    super._read(size);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#members?.destroy();
    done(error);
  }

  #open(): Gunzip {
    const members = createGunzip(this.#options);
    members.on('data', bytes => {
      if (!this.push(bytes)) members.pause();
    });
    members.on('error', error => this.destroy(error));
    return members;
  }

  #decompress(members: Gunzip, chunk: Buffer, done: TransformCallback): void {
    const before = members.bytesWritten; // compressed bytes that zlib has consumed
    members.write(chunk, error => {
      // The `error` event reports it.
      if (error) return;
      const consumed = members.bytesWritten - before;
      if (consumed === chunk.length) {
        done();
        return;
      }
      // zlib leaves bytes unread, and ends, only where a zero byte follows a member.
      const skipPadding = (): void => {
        this.#members = undefined;
        members.destroy();
        this._transform(chunk.subarray(consumed), 'binary', done);
      };
      if (members.readableEnded) skipPadding();
      else members.once('end', skipPadding);
    });
  }
}
