import { storeAccess } from '../../base/options/store.ts';
import { resolveValues } from '../../base/options/values/resolve-options.ts';
import { discardShards } from '../../library/shards/discard-shards.ts';
import { findShards } from '../../library/shards/find-folder.ts';
import { ExitCode } from '../../runs/exit-code.ts';
import { discardUnfinished } from '../../runs/status/discard-run.ts';
import { backendsOf } from '../../storage/backends.ts';
import type { Context } from '../context.ts';

/** Discards an unfinished run, of one process or in shards. */
export async function run({ flags, log }: Context): Promise<number> {
  const output = String(flags.output);
  const among = backendsOf(resolveValues(storeAccess, flags));
  const folder = await findShards(output, among);
  if (folder !== undefined) {
    await discardShards(folder, among);
    log.info(
      { event: 'run_discarded' },
      `${folder.path}: the plan and what the workers have scored are removed`,
    );
    return ExitCode.done;
  }
  const isDiscarded = await discardUnfinished(output, among);
  log.info(
    { event: 'run_discarded' },
    isDiscarded
      ? `${output}: the unfinished run is discarded`
      : `${output}: the run or repair was complete, and its files are in their places now; nothing is discarded`,
  );
  return ExitCode.done;
}
