import type { StoredBytes } from '../../base/text-of-file.ts';
import { DecodedSource } from '../../storage/decoded-source.ts';
import { openInput } from '../../storage/local/local-input.ts';
import type { StoredInput } from '../../storage/source.ts';
import { TextInThread } from './text-in-thread.ts';

/** A stored upload whose text, if it is Parquet, is made in a thread. */
class ThreadedSource extends DecodedSource {
  readonly #path: string;
  #text: TextInThread | undefined;

  constructor(input: StoredInput, path: string, maxWindowBytes: number) {
    super(input, false, { maxWindowBytes });
    this.#path = path;
  }

  override get stored(): StoredBytes | undefined {
    const stored = super.stored;
    if (stored === undefined) return undefined;
    return {
      ...stored,
      readAs: (text, offset) => {
        this.#text = new TextInThread(text, { path: this.#path, name: this.name });
        return stored.readAs(this.#text, offset);
      },
    };
  }

  override close(): void {
    this.#text?.close();
    super.close();
  }
}

/**
 * @param name of the file as uploaded, for messages
 * @param maxWindowBytes as of `Codec.decompress`
 */
export const openThreaded = async (
  path: string,
  name: string,
  maxWindowBytes: number,
): Promise<DecodedSource> => new ThreadedSource({ ...(await openInput(path)), name }, path, maxWindowBytes);
