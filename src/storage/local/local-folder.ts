import { readdir, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { RowcastError } from '../../base/errors.ts';
import { reasonOf, TRY_AGAIN } from '../../base/system-error.ts';
import { diskFiles } from '../durable-files.ts';
import { type FolderLayout, isOfLayout, type SharedFolder } from '../shared-folder.ts';
import { unwritable } from '../target.ts';
import { placeFile } from './atomic-write.ts';
import { makeFolders, refuseUnmounted } from './make-folders.ts';
import { isMissing, unlessMissing } from './missing.ts';

/** A folder of a file system that all machines have mounted. */
export function localFolder(path: string, layout: FolderLayout): SharedFolder {
  const failed = (name: string, cause: Error): Error =>
    isMissing(cause) ? cause : unwritable(join(path, name), cause, 'stopped');
  return {
    path,
    async prepare() {
      await refuseUnmounted(path);
      for (const folder of layout.folders)
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
    modified: async name => (await stat(join(path, name)).catch(() => undefined))?.mtime,
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
      const own = ((await readdir(path).catch(unlessMissing)) ?? []).filter(name => isOfLayout(layout, name));
      for (const name of [...own.filter(name => name !== last), last])
        await rm(join(path, name), { recursive: true, force: true, maxRetries: 3 });
      await rmdir(path).catch(unlessNeeded);
    },
  };
}

/** Other files may be in the folder, and another process may have removed it. */
function unlessNeeded(cause: NodeJS.ErrnoException): void {
  if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(cause.code ?? '')) throw cause;
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
