import type { LockedPaths } from '../../runs/paths/lock-paths.ts';
import type { Files } from '../../storage/durable-files.ts';
import type { DurableOutput } from '../../storage/durable-output.ts';
import { LocalOutput } from '../../storage/local/local-output.ts';

/** The output that parts are joined to. @param files those of an output that is a file */
export function joinedOutput(
  { output: { name, path, durable } }: Pick<LockedPaths, 'output'>,
  files: Files,
  isPrivate = false,
): DurableOutput {
  if (path !== undefined) return new LocalOutput(path, { name, isPrivate, files });
  // A plan has no other outputs.
  if (durable === undefined) throw new TypeError(`joinedOutput: ${name} cannot be resumed`);
  return durable;
}
