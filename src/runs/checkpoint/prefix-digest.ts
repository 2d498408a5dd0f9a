import { createHash, type Hash } from 'node:crypto';

/** Digest state of the input's first `offset` bytes; of constant size. */
export interface PrefixState {
  /** Number of bytes digested. */
  readonly offset: number;
  /** Digest of all blocks but the last, hex. The last block has from 1 to BLOCK_BYTES bytes. */
  readonly blocks: string;
  /** Digest of all blocks, hex. */
  readonly digest: string;
}

/** Block size: at most this much must be read again to resume a digest. */
export const BLOCK_BYTES = 1 << 20;

/**
 * A digest of all bytes so far that another process can resume. Node does not expose the state of a SHA-256, so this is
 * a chain over blocks: d(n) = SHA-256(d(n-1) ‖ block n). The d of the last, unfinished block is the digest of all
 * bytes.
 */
export class PrefixDigest {
  #offset = 0;
  #blocks = '';
  #block = newBlock('');
  /** Number of bytes in the last block. */
  #held = 0;

  /** Resumes before the last block of a prefix: the next byte to digest is the one at `resumesAt(state)`. */
  static resume(state: PrefixState): PrefixDigest {
    const digest = new PrefixDigest();
    digest.#offset = PrefixDigest.resumesAt(state);
    digest.#blocks = state.blocks;
    digest.#block = newBlock(state.blocks);
    return digest;
  }

  /** Offset of the last block. A block is never empty, so some bytes are always read again and compared. */
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
