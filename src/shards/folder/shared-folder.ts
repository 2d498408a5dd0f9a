import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { RowcastError } from '../../base/errors.ts';
import { reasonOf, TRY_AGAIN } from '../../base/system-error.ts';
import { diskFiles } from '../../storage/durable-files.ts';
import { placeFile } from '../../storage/local/atomic-write.ts';
import { makeFolders } from '../../storage/local/make-folders.ts';
import { isMissing, unlessMissing } from '../../storage/local/missing.ts';
import { unwritable } from '../../storage/target.ts';
import { FOLDERS } from './names.ts';

/**
 * Small files that all machines of a run see. Nothing is appended to and nothing is locked: an object store has the same
 * operations. What writes throws a RowcastError, `disk_full` or `unwritable_output`, unless the folder is gone; what reads,
 * `unreadable_input`. They are temporary if they may pass, as those of a file server that is restarted.
 */
export interface SharedFolder {
  /** Where it is, for messages and for the files of its shards. */
  readonly path: string;
  /** Makes it. Everything else fails if it is not there, so that a worker that was late does not make it again. */
  prepare(): Promise<void>;
  /**
   * Creates a file, durably, unless it exists. If two machines try at the same time, one succeeds.
   *
   * @returns whether it was created
   */
  create(name: string, text: string): Promise<boolean>;
  /** Replaces a file atomically. Only one process may write the same file. */
  replace(name: string, text: string): Promise<void>;
  /** The file's text; undefined if it does not exist. */
  read(name: string): Promise<string | undefined>;
  /** The names of the files in a folder, in order; none if it does not exist. */
  list(folder: string): Promise<string[]>;
  remove(name: string): Promise<void>;
  /** Removes everything. @param last the file that is removed last */
  discard(last: string): Promise<void>;
}

/** A folder of a file system that all machines have mounted. */
export function sharedFolder(path: string): SharedFolder {
  const failed = (name: string, cause: Error): Error =>
    isMissing(cause) ? cause : unwritable(join(path, name), cause, 'stopped');
  return {
    path,
    async prepare() {
      for (const folder of FOLDERS)
        await makeFolders(join(path, folder)).catch(cause => {
          throw unwritable(path, cause);
        });
    },
    async create(name, text) {
      try {
        await placeFile(join(path, name), text, 'create');
        return true;
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false; // errors of fs
        throw failed(name, cause as Error); // errors of fs
      }
    },
    replace: (name, text) =>
      placeFile(join(path, name), text, 'replace').catch(cause => {
        throw failed(name, cause);
      }),
    async read(name) {
      const text = await diskFiles.read(join(path, name)).catch(cause => {
        throw unreadableFolder(join(path, name), cause);
      });
      return text?.toString();
    },
    async list(folder) {
      const names = await readdir(join(path, folder))
        .catch(unlessMissing)
        .catch(cause => {
          throw unreadableFolder(join(path, folder), cause);
        });
      return (names ?? []).sort();
    },
    remove: name =>
      diskFiles.remove(join(path, name)).catch(cause => {
        throw failed(name, cause);
      }),
    async discard(last) {
      for (const name of (await readdir(path).catch(unlessMissing)) ?? [])
        if (name !== last) await rm(join(path, name), { recursive: true, force: true, maxRetries: 3 });
      await rm(path, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** Errors that do not pass by themselves, unlike those of a file server that is restarted, which may be EIO. */
const LASTING = ['EACCES', 'EPERM', 'EISDIR', 'ENOTDIR'];

function unreadableFolder(file: string, cause: NodeJS.ErrnoException): RowcastError {
  const isLasting = LASTING.includes(cause.code ?? '');
  return new RowcastError('unreadable_input', `cannot read the folder of the shards: ${reasonOf(cause)}`, {
    severity: isLasting ? 'stopped' : 'temporary',
    location: { file },
    hint: isLasting
      ? 'Run all commands of a run as the same user: nobody else can read its files.'
      : TRY_AGAIN,
    cause,
  });
}
