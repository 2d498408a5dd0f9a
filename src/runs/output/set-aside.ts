import type { Backends } from '../../storage/backends.ts';
import type { DurableOutput } from '../../storage/durable-output.ts';
import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import { previousRejectsOf } from '../paths/previous-rejects.ts';

/**
 * Keeps the files of an unfinished run under other names, because a run of different work takes its place. The
 * checkpoint is the last one: a run that is killed in between leaves one that is set aside again.
 *
 * @param saved its checkpoint
 * @throws RowcastError `foreign_file`
 */
export async function setAside(
  output: DurableOutput,
  saved: Pick<Checkpoint, 'output'>,
  among?: Backends,
): Promise<void> {
  const { checkpoint } = output;
  const rejects = await previousRejectsOf(output, await checkpoint.read(), among);
  await output.setAside(saved.output, (await output.aside?.checkpoint.read()) !== undefined);
  if (rejects !== undefined && rejects.committed.bytes > 0)
    await rejects.place.setAside(rejects.committed, true);
  await checkpoint.setAside();
}
