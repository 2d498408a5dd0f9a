import { lstat, open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { RowcastError } from '../../base/errors.ts';
import { sha256OfFile, type Tail } from '../digests.ts';
import { diskFiles, type Files } from '../durable-files.ts';
import type {
  CheckpointPlace,
  DurableOutput,
  OutputLock,
  OutputState,
  StoredExtent,
} from '../durable-output.ts';
import type { AppendedFile } from '../partial-file.ts';
import { unwritable } from '../target.ts';
import { fileAccessOf, giveAccess, privateAccess } from './access.ts';
import { takeLock } from './locks/output-lock.ts';
import { unlessAbsent } from './missing.ts';
import { localCheckpoint, localState, outputNames } from './output-files.ts';
import { siblingPath } from './sibling-path.ts';
import { storedChunks, verifyCommitted, verifyWhole } from './verify-committed.ts';

interface LocalOutputOptions {
  /** The name of the output as given, for messages; by default its path. */
  name?: string;
  /** Whether only its owner may read it, whatever the umask allows. */
  isPrivate?: boolean;
  files?: Files;
  /** Whether this is what was set aside of it. */
  isAside?: boolean;
}

/** A file. Until it is complete, its bytes are in another one next to it, which is then renamed. */
export class LocalOutput implements DurableOutput {
  readonly name: string;
  readonly address: string;
  readonly defaultInterval = 1;
  readonly checkpoint: CheckpointPlace;
  readonly #names: ReturnType<typeof outputNames>;
  readonly #isPrivate: boolean;
  readonly #files: Files;

  /** @param path with links followed */
  constructor(
    path: string,
    { name = path, isPrivate = false, files = diskFiles, isAside = false }: LocalOutputOptions = {},
  ) {
    this.name = name;
    this.address = path;
    this.#isPrivate = isPrivate;
    this.#files = files;
    const names = outputNames(path);
    const { oldPartial: partial, oldCheckpoint: checkpoint } = names;
    this.#names = isAside ? { ...names, partial, checkpoint } : names;
    this.checkpoint = localCheckpoint(path, this.#names, isPrivate, files);
  }

  get folder(): string {
    return dirname(this.address);
  }

  get partialName(): string {
    return this.#names.partial;
  }

  get aside(): LocalOutput {
    return new LocalOutput(this.address, { isPrivate: this.#isPrivate, files: this.#files, isAside: true });
  }

  beside(suffix: string, room = 0): LocalOutput {
    return this.at(siblingPath(this.address, suffix, room));
  }

  at(address: string): LocalOutput {
    return new LocalOutput(address, { isPrivate: this.#isPrivate, files: this.#files });
  }

  lock(): Promise<OutputLock> {
    return takeLock(this.#names.lock, this.name, resolve(this.address));
  }

  state(): Promise<OutputState> {
    return localState(this.address);
  }

  exists(): Promise<boolean> {
    // A dangling link counts: writing would follow it.
    return lstat(this.address).then(
      () => true,
      () => false,
    );
  }

  async readStart(bytes: number): Promise<Buffer | undefined> {
    const file = await open(this.address, 'r').catch(() => undefined);
    try {
      const head = await file?.read(Buffer.alloc(bytes), 0, bytes, 0);
      return head?.buffer.subarray(0, head.bytesRead);
    } catch {
      return undefined; // a folder
    } finally {
      await file?.close();
    }
  }

  sha256(): Promise<string> {
    return sha256OfFile(this.address);
  }

  verify(extent: StoredExtent): Promise<Tail> {
    return verifyCommitted(this.#files, this.#names.partial, extent);
  }

  isPublished(extent: StoredExtent): Promise<boolean> {
    return verifyCommitted(this.#files, this.address, extent).then(
      () => true,
      error => {
        if (error instanceof RowcastError) return false;
        throw error;
      },
    );
  }

  chunks(extent: StoredExtent, from?: number): AsyncIterable<Buffer> {
    return storedChunks(this.#files, this.address, extent, from);
  }

  async verifyWhole(extent: StoredExtent): Promise<void> {
    await verifyWhole(this.#files, await this.#written(), extent, this.#names.partial);
  }

  async open({ bytes }: StoredExtent): Promise<AppendedFile> {
    const access = fileAccessOf(this.address, this.#isPrivate);
    const file = await this.#files.open(this.#names.partial, access);
    try {
      await file.truncate(bytes);
    } catch (error) {
      await file.close().catch(() => {}); // the first error is reported
      throw unwritable(this.name, error as Error, 'stopped'); // errors of fs
    }
    return file;
  }

  settle(): Promise<void> {
    return this.#files.syncFolder(this.folder);
  }

  async publish(): Promise<void> {
    const { partial } = this.#names;
    // A run may be finished with `--private` that was begun without.
    if (this.#isPrivate) giveAccess(await this.#written(), privateAccess);
    await this.#files.rename(partial, this.address);
  }

  remove(): Promise<void> {
    return this.#files.remove(this.address);
  }

  discard(): Promise<void> {
    return this.#files.remove(this.#names.partial);
  }

  async discardFormer(extent: StoredExtent, address: string): Promise<void> {
    const { lock, partial } = this.#names;
    const held = await takeLock(lock, this.address).catch(error => {
      // The folder may not exist any more.
      if (!(error instanceof RowcastError)) throw error;
    });
    if (held === undefined) return;
    try {
      const isOfDeadProcess =
        held.abandonedOutput !== undefined && resolve(held.abandonedOutput) === resolve(address);
      const isUnchanged = extent.bytes > 0 && (await this.#has(extent));
      if (isOfDeadProcess || isUnchanged) await this.#files.remove(partial);
    } finally {
      await held.release();
    }
  }

  async setAside(_: StoredExtent, mayReplace: boolean): Promise<void> {
    const { partial, oldPartial } = this.#names;
    const size = (path: string) => this.#files.size(path);
    if (!mayReplace && (await size(oldPartial)) !== undefined && (await size(partial)) !== undefined)
      throw new RowcastError('foreign_file', 'the file exists and does not belong to an unfinished run', {
        location: { file: oldPartial },
        hint: 'Move it elsewhere: the unfinished run is to be kept under this name.',
      });
    await this.#files.rename(partial, oldPartial).catch(unlessAbsent);
  }

  /** Where the bytes are: the rename may have been done by a process that was killed then. */
  async #written(): Promise<string> {
    const { partial } = this.#names;
    return (await this.#files.size(partial)) === undefined ? this.address : partial;
  }

  #has(extent: StoredExtent): Promise<boolean> {
    return this.verify(extent).then(
      () => true,
      () => false,
    );
  }
}
