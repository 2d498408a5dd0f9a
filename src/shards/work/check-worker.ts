import { defaultProtocol } from '../../base/contract/protocol-names.ts';
import { RowcastError } from '../../base/errors.ts';
import { unlessStopped } from '../../base/interrupted.ts';
import { reportHash } from '../../runs/checkpoint/fingerprint.ts';
import { withPredicted } from '../../scoring/prepare.ts';
import { LOCAL, type Scorer } from '../../scoring/scorer.ts';
import type { Backends } from '../../storage/backends.ts';
import type { ShardPlan } from '../folder/plan-shape.ts';
import { openPlanned } from '../plan/make-plan.ts';
import { checkPlannedReuse } from '../reuse/planned-reuse.ts';

export interface WorkerResources {
  scorer: Scorer;
  /** The version of rowcast. */
  version: string;
  stop: AbortSignal;
}

/**
 * Checks that a worker writes the bytes that were planned.
 *
 * @throws RowcastError `other_work` if version, service or report differ; Interrupted
 */
export async function checkWorker(
  plan: ShardPlan,
  { scorer, version, stop }: WorkerResources,
): Promise<void> {
  if (version !== plan.version)
    throw otherWork(
      `rowcast ${plan.version} made the plan, this is ${version}`,
      'Use the same version everywhere.',
    );
  if (scorer.name !== plan.service)
    throw otherWork(
      `the plan is for ${plan.service === LOCAL ? 'a local report' : plan.service}, not for ${scorer.name}`,
      plan.service === LOCAL ? 'Unset ROWCAST_URL, or give --url local.' : `Give --url ${plan.service}.`,
    );
  const [planned = defaultProtocol, own = defaultProtocol] = [plan.protocol, scorer.protocol];
  if (own !== planned)
    throw otherWork(`the plan is for the protocol ${planned}, not for ${own}`, 'Use the same everywhere.');
  const { id, hash } = plan.report;
  const description = await unlessStopped(scorer.describe(id), stop);
  if (reportHash(withPredicted(description, plan.options)) !== hash)
    throw otherWork(
      `the report ${id} is not the one that was planned`,
      'It was trained again, or this machine has another one. Use the same on all machines, or discard the run with rowcast abort.',
    );
}

/** Checks that this machine sees what a plan reads. @throws RowcastError as `openPlanned`, `checkPlannedReuse` */
export async function checkInputs(
  { files }: ShardPlan,
  encoding: string | undefined,
  among?: Backends,
): Promise<void> {
  for (const file of files) (await openPlanned(file, encoding, among)).close();
  await checkPlannedReuse(files, among);
}

const otherWork = (message: string, hint: string): RowcastError =>
  new RowcastError('other_work', message, { hint });
