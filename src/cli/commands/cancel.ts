import { shardsAt } from '../../library/shards/find-folder.ts';
import { ExitCode } from '../../runs/exit-code.ts';
import { CANCELLED } from '../../shards/folder/names.ts';
import { readPlan } from '../../shards/folder/read-run.ts';
import type { Context } from '../context.ts';
import { backendsOfFlags } from '../shards/store-flags.ts';

/** Stops the workers of a sharded run. */
export async function run({ flags, log }: Context): Promise<number> {
  const folder = await shardsAt(String(flags.dir), backendsOfFlags(flags));
  await readPlan(folder);
  await folder.create(CANCELLED, '{}');
  log.info(
    { event: 'run_cancelled' },
    `${folder.path}: cancelled; the workers stop within a few seconds, and what is finished is kept. To resume, run the rowcast plan or score command of this run again.`,
  );
  return ExitCode.done;
}
