import { createHash, type Hash } from 'node:crypto';

/** What is known of the input's first `offset` bytes; of constant size. */
export interface PrefixState {
  /** Bytes that were digested. */
  readonly offset: number;
  /** Digest of the blocks before the last one, hex; the last one holds between 1 byte and BLOCK_BYTES. */
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
  /** Bytes of the last block. */
  #held = 0;

  /** The digest of all but a prefix's last block: the next byte is the one at `resumesAt(state)`. */
  static resume(state: PrefixState): PrefixDigest {
    const digest = new PrefixDigest();
    digest.#offset = PrefixDigest.resumesAt(state);
    digest.#blocks = state.blocks;
    digest.#block = newBlock(state.blocks);
    return digest;
  }

  /** Offset of the last block's first byte. A block is never empty, so some bytes are always read again and compared. */
  static resumesAt({ offset }: PrefixState): number {
    return Math.max(0, Math.ceil(offset / BLOCK_BYTES) - 1) * BLOCK_BYTES;
  }

  update(bytes: Uint8Array): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.#held === BLOCK_BYTES) {
        this.#blocks = this.#block.digest('hex');
        this.#block = newBlock(this.#blocks);
        this.#held = 0;
      }
      const part = bytes.subarray(at, at + BLOCK_BYTES - this.#held);
      this.#block.update(part);
      this.#held += part.length;
      this.#offset += part.length;
      at += part.length;
    }
  }

  state(): PrefixState {
    return { offset: this.#offset, blocks: this.#blocks, digest: this.#block.copy().digest('hex') };
  }
}

function newBlock(previous: string): Hash {
  return createHash('sha256').update(Buffer.from(previous, 'hex'));
}
