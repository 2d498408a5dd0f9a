import { planFiles } from '../../library/several/plan-files.ts';
import { workOf } from '../../library/several/work-of.ts';
import type { RunJob } from '../../runs/run.ts';
import type { FilePair } from '../../runs/several/pair-files.ts';
import { unchangedRun } from '../../runs/several/unchanged-run.ts';
import type { Scorer } from '../../scoring/scorer.ts';
import { PLAN } from '../../shards/folder/names.ts';
import type { ShardPlan } from '../../shards/folder/plan-shape.ts';
import { readPlan } from '../../shards/folder/read-plan.ts';
import { absoluteName } from '../../storage/folders.ts';
import type { SharedFolder } from '../../storage/shared-folder.ts';
import type { Context } from '../context.ts';

export interface FilesToScore {
  pairs: FilePair[];
  unchanged: ShardPlan['unchanged'];
}

/**
 * Finds the inputs of a command that takes several, and tells those to be scored from those whose outputs are up to date.
 *
 * @param folder of the shards; the inputs of an unfinished run there are scored in any case
 * @throws RowcastError as `planFiles`; if there is no such report
 */
export async function filesToScore(
  log: Context['log'],
  job: RunJob,
  { folder, scorer, stop }: { folder: SharedFolder; scorer: Scorer; stop: AbortSignal },
): Promise<FilesToScore> {
  const { pairs, ledger } = await planFiles(job, stop);
  const found: FilesToScore = { pairs, unchanged: [] };
  if (job.values.ifExists !== 'skip-unchanged') return found;
  await ledger
    .read()
    .catch(({ message }) =>
      log.warn({ event: 'ledger_unreadable' }, `${ledger.path}: ${message}; all files are scored`),
    );
  const options = await workOf(job.values, scorer, stop);
  const begun = (await folder.read(PLAN)) === undefined ? [] : (await readPlan(folder)).files;
  const outputs = new Set(begun.map(({ output }) => output));
  found.pairs = [];
  for (const pair of pairs) {
    const [input, output] = [absoluteName(pair.input), absoluteName(pair.output)];
    const rejects = pair.rejects === undefined ? undefined : absoluteName(pair.rejects);
    const key = { input, output, rejects, options };
    const run = outputs.has(output) ? undefined : await unchangedRun(ledger, key);
    if (run === undefined) found.pairs.push(pair);
    else
      found.unchanged.push({
        input,
        output,
        rows: run.rows,
        rejects: rejects ?? null,
      });
  }
  return found;
}
