import { createHash, type Hash } from 'node:crypto';

/** What is known of the input's first `offset` bytes; of constant size. */
export interface PrefixState {
  /** Bytes that were digested. */
  readonly offset: number;
  /** Digest of the whole blocks among them, hex. */
  readonly blocks: string;
  /** Digest of them all, hex. */
  readonly digest: string;
}

/** Bytes a block: what must be read again, at most, to go on with a digest. */
export const BLOCK_BYTES = 1 << 20;

/**
 * A digest of all bytes so far that can be taken up again in another process. SHA-256 itself cannot, as its state
 * is not to be had, so it is a chain over blocks: d(n) = SHA-256(d(n-1) ‖ block n), and the last, unfinished
 * block's d is the digest of all.
 */
export class PrefixDigest {
  #offset = 0;
  #blocks = '';
  #block = newBlock('');

  /** A digest of a prefix's whole blocks: what comes next is the byte at `resumesAt(state)`. */
  static resume(state: PrefixState): PrefixDigest {
    const digest = new PrefixDigest();
    digest.#offset = PrefixDigest.resumesAt(state);
    digest.#blocks = state.blocks;
    digest.#block = newBlock(state.blocks);
    return digest;
  }

  /** Offset of the last block's first byte. */
  static resumesAt({ offset }: PrefixState): number {
    return offset - (offset % BLOCK_BYTES);
  }

  update(bytes: Uint8Array): void {
    let at = 0;
    while (at < bytes.length) {
      const room = BLOCK_BYTES - (this.#offset % BLOCK_BYTES);
      const part = bytes.subarray(at, at + room);
      this.#block.update(part);
      this.#offset += part.length;
      at += part.length;
      if (this.#offset % BLOCK_BYTES === 0) {
        this.#blocks = this.#block.digest('hex');
        this.#block = newBlock(this.#blocks);
      }
    }
  }

  state(): PrefixState {
    return { offset: this.#offset, blocks: this.#blocks, digest: this.#block.copy().digest('hex') };
  }
}

function newBlock(previous: string): Hash {
  return createHash('sha256').update(Buffer.from(previous, 'hex'));
}
