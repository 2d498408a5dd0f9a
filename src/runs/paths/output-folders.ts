import { dirname, resolve } from 'node:path';
import { type MadeFolders, makeFolders, refuseUnmounted } from '../../storage/local/make-folders.ts';
import { unwritable } from '../../storage/target.ts';

/**
 * Creates the missing folders of files that are about to be written.
 *
 * @param names path → the file's name for messages
 * @param fixed folders that were given, below which any may be created; otherwise each file's own folder was given
 * @returns what removes those that are still empty, so that a command that was refused leaves none
 * @throws RowcastError `unwritable_output`
 */
export async function makeOutputFolders(
  names: ReadonlyMap<string, string>,
  fixed: readonly string[] = [],
): Promise<MadeFolders> {
  const made: MadeFolders[] = [];
  const undo = async (): Promise<void> => {
    for (const folders of made.toReversed()) await folders.undo();
  };
  const folders = new Map([...names].map(([path, name]) => [dirname(path), name]));
  const given = [...folders.keys()].map(folder => fixed.find(outer => isWithin(folder, outer)) ?? folder);
  for (const folder of new Set(given)) await refuseUnmounted(folder);
  for (const [folder, name] of folders)
    made.push(
      await makeFolders(folder).catch(async cause => {
        await undo();
        throw unwritable(name, cause);
      }),
    );
  return { undo };
}

const isWithin = (folder: string, outer: string): boolean =>
  `${resolve(folder)}/`.startsWith(`${resolve(outer)}/`);
