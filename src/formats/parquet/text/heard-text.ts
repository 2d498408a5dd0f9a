import type { TextEntry, TextOfFile } from '../../../base/text-of-file.ts';

/** A text that keeps the text of each group that was read, until it is asked for. */
export class HeardText implements TextOfFile {
  readonly codec: string;
  readonly footer: string;
  readonly #text: TextOfFile;
  readonly #groups = new Map<number, Buffer[]>();

  constructor(text: TextOfFile) {
    this.codec = text.codec;
    this.footer = text.footer;
    this.#text = text;
  }

  get data(): unknown {
    return this.#text.data;
  }

  async *from(offset: number, entry?: TextEntry): AsyncGenerator<Buffer> {
    let at = offset;
    for await (const chunk of this.#text.from(offset, entry)) {
      // A chunk has text of one group.
      const group = this.#text.entryBefore(at)?.group ?? 0;
      const chunks = this.#groups.get(group) ?? [];
      chunks.push(Buffer.from(chunk));
      this.#groups.set(group, chunks);
      at += chunk.length;
      yield chunk;
    }
  }

  entryBefore(offset: number): TextEntry | undefined {
    return this.#text.entryBefore(offset);
  }

  /** The text of a group, once. */
  take(group: number): Buffer {
    const chunks = this.#groups.get(group) ?? [];
    this.#groups.delete(group);
    return Buffer.concat(chunks);
  }
}
