import { closeSync, fchmodSync, fchownSync, fstatSync, openSync, type Stats, statSync } from 'node:fs';

/** Who may use a new file. */
export interface FileAccess {
  /** The mode to create the file with, from which the umask or a default ACL of its folder takes permissions away. */
  readonly mode: number;
  /** The mode and owner of the file that it will replace, which it then gets as far as that is permitted. */
  readonly kept: Pick<Stats, 'mode' | 'uid' | 'gid'> | undefined;
}

/** Only the owner can read the file. */
export const PRIVATE = 0o600;
const DEFAULT = 0o666;
const PERMISSIONS = 0o777;
const GROUP = 0o070;

/** What only this process and its user need. */
export const privateAccess: FileAccess = { mode: PRIVATE, kept: undefined };

/**
 * Who may use the file that will have this path: the same as until now if it exists, else whom the umask allows.
 *
 * @param isPrivate whether only its owner may, whatever was allowed until now
 */
export function fileAccessOf(path: string, isPrivate: boolean): FileAccess {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found?.isFile()) return isPrivate ? privateAccess : { mode: DEFAULT, kept: undefined };
  const { uid, gid } = found;
  // Nobody else reads it before it has its owner.
  return { mode: PRIVATE, kept: { uid, gid, mode: isPrivate ? PRIVATE : found.mode & PERMISSIONS } };
}

/**
 * Gives a file that was just created the mode and owner of the one that it replaces.
 *
 * @param file its descriptor
 */
export function keepAccess(file: number, { kept }: FileAccess): void {
  if (kept === undefined) return;
  const { mode, uid, gid } = kept;
  fchmodSync(file, isOwnedBy(file, uid, gid) ? mode : forOtherGroup(mode));
}

/**
 * Takes the permissions of others from a file that is there already, if only its owner may have any: a run may be
 * resumed with `--private` that was begun without.
 *
 * @param file its descriptor
 */
export function restrictAccess(file: number, { mode, kept }: FileAccess): void {
  if ((kept?.mode ?? mode) === PRIVATE && (fstatSync(file).mode & PERMISSIONS & ~PRIVATE) !== 0)
    fchmodSync(file, PRIVATE);
}

/** Gives an existing file the access that it will need once it has been renamed. */
export function giveAccess(path: string, access: FileAccess): void {
  if (access.kept === undefined && access.mode !== PRIVATE) return;
  const file = openSync(path, 'r');
  try {
    if (access.kept === undefined) fchmodSync(file, access.mode);
    else keepAccess(file, access);
  } finally {
    closeSync(file);
  }
}

/** Whether it has this owner and group, or could get them. */
function isOwnedBy(file: number, uid: number, gid: number): boolean {
  const now = fstatSync(file);
  if (now.uid === uid && now.gid === gid) return true;
  try {
    fchownSync(file, uid, gid);
    return true;
  } catch {
    return false; // only root may give files away
  }
}

/** What a group was granted is not granted to another one, unless everyone has it. */
const forOtherGroup = (mode: number): number => (mode & ~GROUP) | ((mode & 0o007) << 3);
