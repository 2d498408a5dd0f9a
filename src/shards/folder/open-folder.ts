import { type Backends, sharedFolderAt } from '../../storage/backends.ts';
import type { SharedFolder } from '../../storage/shared-folder.ts';
import { ASSEMBLED, CANCELLED, FOLDERS, PLAN, PLANNED } from './names.ts';

const layout = { folders: FOLDERS, files: [PLAN, PLANNED, CANCELLED, ASSEMBLED], marker: PLAN };

/** The folder of a sharded run: a path that all machines have mounted, or a URL. Nothing is read or made yet. */
export const openFolder = (path: string, among?: Backends): SharedFolder =>
  sharedFolderAt(path, layout, among);
