import { RowcastError } from '../../base/errors.ts';
import { countOf } from '../../base/number-text.ts';
import { jsonOption } from '../../base/options/observability.ts';
import { resolveValues } from '../../base/options/values/resolve-options.ts';
import { combineExitCodes } from '../../library/several/combine-exit-codes.ts';
import { findShards } from '../../library/shards/find-folder.ts';
import { ExitCode } from '../../runs/exit-code.ts';
import { discardUnfinished, noUnfinished } from '../../runs/status/discard-run.ts';
import { readStatus, type Status } from '../../runs/status/status.ts';
import { SHARDS_OPTION } from '../../shards/assemble/join-state.ts';
import { PLAN } from '../../shards/folder/names.ts';
import type { PlanFile } from '../../shards/folder/plan-shape.ts';
import { readPlan } from '../../shards/folder/read-run.ts';
import { aliveAttempt, lastAttempts } from '../../shards/status/read-progress.ts';
import { type Backends, backendsOf } from '../../storage/backends.ts';
import type { SharedFolder } from '../../storage/shared-folder.ts';
import type { Context } from '../context.ts';
import { eachFile } from '../each-file.ts';
import { definedRuns, type SelectedRuns, selectRuns } from '../select-runs.ts';
import { printJson } from '../terminal/print.ts';

/** Discards unfinished runs, of one process or in shards. */
export async function run(given: Context): Promise<number> {
  const { context, stores } = await definedRuns(given);
  const among = backendsOf(stores);
  const { json } = resolveValues(jsonOption, context.flags);
  const selected = await selectRuns('abort', context, among);
  if (selected.single === undefined) return discardRuns(context, selected, among, json);
  const output = selected.single;
  const discarded = await discardOne(context, output, among);
  if (json) await printJson({ format: 1, output, discarded });
  return ExitCode.done;
}

/** @returns whether something was discarded; if not, the output is finished now */
async function discardOne({ log }: Context, output: string, among: Backends): Promise<boolean> {
  const event = { event: 'run_discarded' } as const;
  const folder = await findShards(output, among);
  if (folder !== undefined) {
    await discardShards(folder, among);
    log.info(event, `${folder.path}: the plan and what the workers have scored are removed`);
    return true;
  }
  const isDiscarded = await discardUnfinished(output, among).catch(error => {
    // It may be a file of another program, so only the command that writes there replaces it.
    if (error instanceof RowcastError && error.code === 'bad_checkpoint')
      error.hint = 'Run the command that scores it again, with --restart.';
    throw error;
  });
  log.info(
    event,
    isDiscarded
      ? `${output}: the unfinished run is discarded`
      : `${output}: the run or repair was complete, and its files are in their places now; nothing is discarded`,
  );
  return isDiscarded;
}

/** Discards the unfinished ones of several runs. @throws RowcastError `no_output` if there is none */
async function discardRuns(
  context: Context,
  { title, runs: { outputs } }: Extract<SelectedRuns, { single: undefined }>,
  among: Backends,
  isJson: boolean,
): Promise<number> {
  const runs: { output: string; discarded: boolean; error?: { code: string; message: string } }[] = [];
  const discard = async (output: string): Promise<number> => {
    try {
      if (await isUnfinished(output, among))
        runs.push({ output, discarded: await discardOne(context, output, among) });
      return ExitCode.done;
    } catch (error) {
      if (error instanceof RowcastError) {
        const { code, message } = error;
        runs.push({ output, discarded: false, error: { code, message } });
      }
      throw error;
    }
  };
  const codes = await eachFile(context, outputs, { nameOf: output => output }, discard);
  if (runs.length === 0) throw noUnfinished(title);
  const discarded = runs.filter(run => run.discarded).length;
  context.log.info({ event: 'run_discarded' }, `${title}: ${countOf(discarded, 'unfinished run')} discarded`);
  if (isJson) await printJson({ format: 1, runs });
  return combineExitCodes(codes, ExitCode.done);
}

/** Whether a run of the output is in progress or was begun. What is wrong with its files is found by discarding it. */
async function isUnfinished(output: string, among: Backends): Promise<boolean> {
  if ((await findShards(output, among)) !== undefined) return true;
  const isBegun = (status: Status | undefined): boolean =>
    (status?.saved ?? status?.run ?? status?.partialBytes) !== undefined;
  return statusOf(output, among).then(isBegun).catch(orElse(true, 'bad_checkpoint'));
}

/**
 * Removes a sharded run with everything that its workers have scored, and outputs that are half joined.
 *
 * @throws RowcastError `locked` while a worker is alive or the parts are being joined
 */
export async function discardShards(folder: SharedFolder, among: Backends): Promise<void> {
  const alive = await aliveAttempt(folder, await lastAttempts(folder));
  if (alive !== undefined)
    throw new RowcastError(
      'locked',
      `a worker is scoring shard ${alive.shard}, process ${alive.holder.pid}`,
      {
        severity: 'temporary',
        location: { file: folder.path },
        hint: 'Stop the workers with rowcast cancel, then try again; it takes them a few seconds.',
      },
    );
  // A damaged plan can still be discarded.
  const files = await readPlan(folder)
    .then(plan => plan.files)
    .catch(orElse<PlanFile[]>([], 'no_plan', 'bad_plan'));
  for (const { output } of files) {
    const status = await statusOf(output, among);
    if (status?.saved?.checkpoint.fingerprint.options[SHARDS_OPTION] !== undefined)
      await discardUnfinished(output, among);
  }
  await folder.discard(PLAN);
}

/** @returns undefined if there is neither an output nor a run */
const statusOf = (output: string, among: Backends): Promise<Status | undefined> =>
  readStatus(output, among).catch(orElse(undefined, 'no_output'));

/** A value in place of an error with one of some codes. */
const orElse =
  <T>(value: T, ...codes: readonly string[]) =>
  (error: unknown): T => {
    if (error instanceof RowcastError && codes.includes(error.code)) return value;
    throw error;
  };
