import { shardsAt } from '../../library/shards/find-folder.ts';
import { assembledCode, removeFolder } from '../../shards/assemble/join-state.ts';
import { readRun } from '../../shards/folder/read-run.ts';
import type { Context } from '../context.ts';
import { tellingEnd } from '../ending/telling-end.ts';
import { assembleFinished } from '../shards/assemble-finished.ts';
import { backendsOfFlags } from '../shards/store-flags.ts';

/** Joins the finished shards of a run into its outputs. */
export const run = (context: Context): Promise<number> => tellingEnd('assemble', context, runAssemble);

async function runAssemble(context: Context): Promise<number> {
  const { flags, log, onOutcome } = context;
  onOutcome?.({ folder: String(flags.dir) });
  const folder = await shardsAt(String(flags.dir), backendsOfFlags(flags));
  const code = await assembledCode(folder);
  if (code !== undefined) {
    await removeFolder(folder, code);
    log.info({ event: 'shards_removed' }, `${folder.path}: the outputs were complete; the folder is removed`);
    return code;
  }
  const sharded = await readRun(folder);
  return assembleFinished(context, sharded);
}
