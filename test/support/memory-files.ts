import type { Files, WritableFile } from '../../src/storage/durable-files.ts';

/** Files in memory. Each operation is recorded, and can be made to fail. */
export class MemoryFiles implements Files {
  readonly content = new Map<string, Buffer>();
  /** Operation and path, in order. */
  readonly done: string[] = [];
  /** Operations that contain this text fail with EIO. */
  failing: string | undefined;

  async open(path: string): Promise<WritableFile> {
    this.#do('open', path);
    if (!this.content.has(path)) this.content.set(path, Buffer.alloc(0));
    const bytes = (): Buffer => this.content.get(path) ?? Buffer.alloc(0);
    return {
      size: async () => bytes().length,
      truncate: async size => {
        this.#do('truncate', path);
        this.content.set(path, bytes().subarray(0, size));
      },
      append: async added => {
        this.#do('write', path);
        this.content.set(path, Buffer.concat([bytes(), added]));
      },
      sync: async () => this.#do('sync', path),
      close: async () => this.#do('close', path),
    };
  }

  async rename(from: string, to: string): Promise<void> {
    this.#do('rename', `${from} to ${to}`);
    const bytes = this.content.get(from);
    if (bytes !== undefined) this.content.set(to, bytes);
    this.content.delete(from);
  }

  async remove(path: string): Promise<void> {
    this.#do('remove', path);
    this.content.delete(path);
  }

  async syncFolder(path: string): Promise<void> {
    this.#do('sync folder', path);
  }

  async read(path: string): Promise<Buffer | undefined> {
    return this.content.get(path);
  }

  async readAt(path: string, offset: number, length: number): Promise<Buffer | undefined> {
    return this.content.get(path)?.subarray(offset, offset + length);
  }

  async size(path: string): Promise<number | undefined> {
    return this.content.get(path)?.length;
  }

  #do(operation: string, path: string): void {
    const text = `${operation} ${path}`;
    this.done.push(text);
    if (this.failing !== undefined && text.includes(this.failing))
      throw Object.assign(new Error(`EIO: ${text}`), { code: 'EIO' });
  }
}
