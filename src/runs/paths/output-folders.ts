import { dirname } from 'node:path';
import { type MadeFolders, makeFolders } from '../../storage/local/make-folders.ts';
import { unwritable } from '../../storage/target.ts';

/**
 * Creates the missing folders of files that are about to be written.
 *
 * @param names path → the file's name for messages
 * @returns what removes those that are still empty, so that a command that was refused leaves none
 * @throws RowcastError `unwritable_output`
 */
export async function makeOutputFolders(names: ReadonlyMap<string, string>): Promise<MadeFolders> {
  const made: MadeFolders[] = [];
  const undo = async (): Promise<void> => {
    for (const folders of made.toReversed()) await folders.undo();
  };
  for (const [folder, name] of new Map([...names].map(([path, name]) => [dirname(path), name])))
    made.push(
      await makeFolders(folder).catch(async cause => {
        await undo();
        throw unwritable(name, cause);
      }),
    );
  return { undo };
}
