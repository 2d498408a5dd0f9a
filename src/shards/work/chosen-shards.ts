import { RowcastError } from '../../base/errors.ts';

/** Variables in which schedulers give a task its number: Kubernetes, Slurm, AWS Batch. */
const INDEX_VARIABLES = ['JOB_COMPLETION_INDEX', 'SLURM_ARRAY_TASK_ID', 'AWS_BATCH_JOB_ARRAY_INDEX'] as const;

/**
 * The numbers of the shards that a worker is to score.
 *
 * @param given the number of its task, or `any`; by default, that of the scheduler
 * @param perTask shards of a task
 * @returns undefined if it takes shards until none is left
 * @throws RowcastError `bad_option`
 */
export function chosenShards(
  given: string | undefined,
  perTask: number,
  env: Readonly<Record<string, string | undefined>>,
): number[] | undefined {
  const variable = given === undefined ? INDEX_VARIABLES.find(name => env[name]) : undefined;
  const text = given ?? (variable && env[variable]);
  if (text === undefined || text === 'any') return undefined;
  const task = /^\d{1,9}$/.test(text) ? Number(text) : undefined;
  if (task === undefined)
    throw new RowcastError(
      'bad_option',
      `${variable ?? '--shard'}: expected a whole number from 0 on${variable ? '' : ', or any'}, got "${text}"`,
    );
  return Array.from({ length: perTask }, (_, i) => task * perTask + i);
}
