import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { diskFiles } from '../../../storage/durable-files.ts';
import { writeDurably } from '../../../storage/local/atomic-write.ts';
import { makeFolder } from '../../../storage/local/home-folder.ts';
import { thisProcess } from '../../../storage/local/locks/lock-holder.ts';
import { type DataMeta, dataFolder, holderFile, metaFile, profileFile, uploading } from '../data-files.ts';
import type { Profile } from '../profile/profile-shape.ts';

/** A service on another machine takes an upload for abandoned if its holder was not touched for a minute. */
const TOUCH_MS = 20_000;

/**
 * An upload in progress: a folder that is not data yet. It becomes data by a rename, once everything in it is durable;
 * a process that starts after a kill recognises it by its name, and removes it.
 */
export class Incoming {
  readonly id: string;
  /** The path of the uploaded bytes. */
  readonly path: string;
  readonly #home: string;
  readonly #folder: string;
  readonly #file: FileHandle;
  readonly #touching: NodeJS.Timeout;
  #size = 0;
  #isData = false;

  private constructor(home: string, id: string, folder: string, path: string, file: FileHandle) {
    this.#home = home;
    this.id = id;
    this.#folder = folder;
    this.path = path;
    this.#file = file;
    const holder = join(folder, holderFile);
    this.#touching = setInterval(() => {
      const now = new Date();
      utimes(holder, now, now).catch(() => {}); // The folder is gone, or the next write fails too.
    }, TOUCH_MS).unref();
  }

  /** @throws NodeJS.ErrnoException */
  static async create(home: string, name: DataMeta['file']): Promise<Incoming> {
    const id = randomBytes(8).toString('hex');
    const folder = join(dataFolder(home), uploading + id);
    await makeFolder(dataFolder(home));
    await mkdir(folder, { mode: 0o700 });
    try {
      await writeFile(join(folder, holderFile), JSON.stringify(thisProcess()), { mode: 0o600 });
      const path = join(folder, name);
      return new Incoming(home, id, folder, path, await open(path, 'wx', 0o600));
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  get size(): number {
    return this.#size;
  }

  /** Whether it has become data. */
  get isData(): boolean {
    return this.#isData;
  }

  async write(bytes: Buffer): Promise<void> {
    await this.#file.appendFile(bytes);
    this.#size += bytes.length;
  }

  /** Makes the upload data. @returns the bytes of all its files */
  async finish(meta: DataMeta, profile: Profile): Promise<number> {
    clearInterval(this.#touching);
    await this.#file.sync();
    await this.#file.close();
    const profileBytes = Buffer.from(JSON.stringify(profile));
    const metaBytes = Buffer.from(`${JSON.stringify(meta, null, 2)}\n`);
    await writeDurably(join(this.#folder, profileFile), profileBytes);
    await writeDurably(join(this.#folder, metaFile), metaBytes);
    await diskFiles.syncFolder(this.#folder);
    const folder = join(dataFolder(this.#home), this.id);
    await rename(this.#folder, folder);
    this.#isData = true;
    await diskFiles.syncFolder(dataFolder(this.#home));
    await rm(join(folder, holderFile), { force: true });
    return this.#size + profileBytes.length + metaBytes.length;
  }

  /** Removes what was uploaded; does nothing after `finish`. */
  async discard(): Promise<void> {
    clearInterval(this.#touching);
    await this.#file.close().catch(() => {}); // closed already
    await rm(this.#folder, { recursive: true, force: true });
  }
}
