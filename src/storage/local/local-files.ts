import { stat } from 'node:fs/promises';
import type { Backend } from '../backend.ts';
import { refuseUnsupportedCompression } from '../codecs/refuse-unsupported-output.ts';
import type { Files } from '../durable-files.ts';
import { type Target, unwritable } from '../target.ts';
import { deviceTarget } from './device-target.ts';
import { fileTarget } from './file-target.ts';
import { followLinks } from './follow-links.ts';
import { filesMatching, isPattern } from './glob.ts';
import { localDocument } from './local-document.ts';
import { localFolder } from './local-folder.ts';
import { openInput } from './local-input.ts';
import { isMissing } from './missing.ts';

/**
 * Paths: regular files, FIFOs and devices.
 *
 * @param files writes durable outputs
 */
export const localFiles = (files?: Files): Backend => ({
  openInput,
  resolveTarget: (output, isPrivate) => resolveTarget(output, isPrivate, files),
  async versionOf(path) {
    const found = await stat(path).catch(() => undefined);
    return found && { size: found.size, modified: found.mtimeMs };
  },
  isPattern,
  namesMatching: filesMatching,
  document: localDocument,
  sharedFolder: localFolder,
});

async function resolveTarget(output: string, isPrivate: boolean, files: Files | undefined): Promise<Target> {
  const found = await stat(output).catch((cause: NodeJS.ErrnoException) => {
    if (isMissing(cause)) return undefined;
    throw unwritable(output, cause);
  });
  if (found?.isDirectory()) throw unwritable(output, new Error('it is a folder'));
  // Not followed: the link target of /dev/fd/N is not a path (`pipe:[1234]`).
  if (found !== undefined && !found.isFile()) return deviceTarget(output, found.isFIFO());
  const path = await followLinks(output);
  refuseUnsupportedCompression(output);
  return fileTarget(output, path, isPrivate, files);
}
