import { setTimeout as sleep } from 'node:timers/promises';
import type { Description } from '../../base/contract/schemas.ts';
import { schemeOf } from '../../base/scheme.ts';
import { flagsOfAddress, homeOf } from '../../library/service/choose-service.ts';
import { findShards } from '../../library/shards/find-folder.ts';
import type { Checkpoint } from '../../runs/checkpoint/checkpoint.ts';
import { ExitCode } from '../../runs/exit-code.ts';
import { lostRejectsOf } from '../../runs/status/find-runs.ts';
import { nextRunOf } from '../../runs/status/next-run.ts';
import { noRuns, readStatus, type Status } from '../../runs/status/status.ts';
import { type StatusReport, statusReport, unfinishedReport } from '../../runs/status/status-report.ts';
import { checkWritten } from '../../runs/status/written-by-run.ts';
import { LOCAL } from '../../scoring/scorer.ts';
import { readProgress } from '../../shards/status/read-progress.ts';
import { shardsReport } from '../../shards/status/shards-report.ts';
import { type Backends, backendsOf } from '../../storage/backends.ts';
import type { SharedFolder } from '../../storage/shared-folder.ts';
import type { Context } from '../context.ts';
import { definedRuns, type SelectedRuns, selectRuns } from '../select-runs.ts';
import { storeFlags } from '../shards/store-flags.ts';
import { plannedAddress } from '../shards/work-command.ts';
import { printText } from '../terminal/print.ts';
import { describeShards } from '../terminal/shards-text.ts';
import { describeRuns } from '../terminal/status-table.ts';
import { describeStatus } from '../terminal/status-text.ts';

/** Milliseconds between two looks with --watch. */
const WATCH_MS = 1_000;

/** How what is looked at is reached. */
interface LookOptions {
  among: Backends;
  /** The flags that have another command reach it too. */
  stores: readonly string[];
}

interface Seen {
  text: string;
  state: keyof typeof codes;
}

/**
 * Prints the state of an output, or of several: those of a folder, a pattern or a definition. The exit code is that of
 * the state.
 */
export async function run(given: Context): Promise<number> {
  const { flags } = given;
  const { context, stores } = await definedRuns(given);
  const options = { among: backendsOf(stores), stores: storeFlags(stores) };
  // Whoever has seen it running knows that a run wrote it.
  let wasRunning = false;
  const look = async (): Promise<Seen> => {
    const selected = await selectRuns('status', context, options.among);
    const isJson = flags.json === true;
    const seen =
      selected.single === undefined
        ? await lookAtRuns(selected, options.among, isJson)
        : await lookAt(selected.single, options, isJson, wasRunning);
    wasRunning = seen.state === 'running';
    return seen;
  };
  let seen = await look();
  const isRedrawn = flags.watch === true && process.stdout.isTTY && flags.json !== true;
  const { createLogUpdate } = isRedrawn ? await import('log-update') : {};
  const draw = createLogUpdate?.(process.stdout, { showCursor: true });
  for (;;) {
    if (draw === undefined) await printText(seen.text);
    else draw(seen.text.trimEnd());
    if (flags.watch !== true || seen.state !== 'running') break;
    await sleep(WATCH_MS);
    seen = await look();
  }
  draw?.done();
  return codes[seen.state];
}

const codes = { finished: ExitCode.done, running: ExitCode.running, stopped: ExitCode.stopped } as const;

async function lookAt(
  path: string,
  options: LookOptions,
  isJson: boolean,
  wasRunning: boolean,
): Promise<Seen> {
  const { among } = options;
  const shards = await findShards(path, among);
  if (shards !== undefined) return lookAtShards(shards, options, isJson);
  const status = await readStatusOf(path, among, !wasRunning);
  const { saved, run } = status;
  const lost = schemeOf(path) === undefined ? await lostRejectsOf(path) : undefined;
  const report = withLostRejects(statusReport(path, status), lost);
  if (isJson) return { text: jsonOf(report), state: stateOf(report) };
  const next =
    saved === undefined || run !== undefined
      ? undefined
      : await nextRunOf(saved.checkpoint, await reportNow(saved.checkpoint.fingerprint));
  const text = describeStatus(path, status, { now: new Date(), next, lostRejects: report.lost_rejects });
  return { text, state: stateOf(report) };
}

/** A single output waits for nothing. */
const stateOf = ({ state }: Pick<StatusReport, 'state'>): Seen['state'] =>
  state === 'waiting' ? 'stopped' : state;

/**
 * The status of an output.
 *
 * @param isUnsure whether a file that is there may be one that no run has written
 */
async function readStatusOf(output: string, among: Backends, isUnsure: boolean): Promise<Status> {
  const status = await readStatus(output, among);
  const { saved, run, finished } = status;
  if (isUnsure && saved === undefined && run === undefined && finished !== undefined)
    await checkWritten(output, among);
  return status;
}

/**
 * The local report of an unfinished run as it is now; undefined if a service predicts, or it is not where it usually
 * is.
 */
async function reportNow({ service, report }: Checkpoint['fingerprint']): Promise<Description | undefined> {
  if (service !== LOCAL) return undefined;
  const { readLocalReport } = await import('../../models/store/report-model.ts');
  const found = await readLocalReport(homeOf({ flags: {}, env: process.env }), report.id).catch(
    () => undefined,
  );
  return found?.report;
}

const withLostRejects = (report: StatusReport, lost: string | undefined): StatusReport =>
  report.state === 'finished' && lost !== undefined ? { ...report, lost_rejects: lost } : report;

async function lookAtShards(
  folder: SharedFolder,
  { among, stores }: LookOptions,
  isJson: boolean,
): Promise<Seen> {
  const progress = await readProgress(folder, among);
  const report = shardsReport(progress);
  const { env } = process;
  const service = [...flagsOfAddress(plannedAddress({ flags: {}, env }, progress.run.plan), env), ...stores];
  return {
    text: isJson ? jsonOf(report) : describeShards(progress, report, service),
    state: stateOf(report),
  };
}

async function lookAtRuns(
  { title, runs: found, named, planned }: Extract<SelectedRuns, { single: undefined }>,
  among: Backends,
  isJson: boolean,
): Promise<Seen> {
  const runs: StatusReport[] = [];
  const waiting: StatusReport[] = [];
  const { outputs, unfinished, lostRejects, refused, unrecorded } = found;
  for (const output of outputs) {
    const isUnrecorded = unrecorded?.has(output) === true;
    // The file may have been removed in the meantime, or no run has written it.
    const status = await readStatusOf(output, among, isUnrecorded).catch((error: unknown) => {
      if (named.includes(output)) throw error;
      return undefined;
    });
    const missing = unfinished.get(output) ?? (status === undefined ? planned.get(output) : undefined);
    if (missing !== undefined) {
      const report = unfinishedReport(output, missing, status);
      // Nothing has begun, and nothing has failed: its turn has not come.
      if (status === undefined && missing.error === null) waiting.push(report);
      runs.push(report);
    } else if (status !== undefined)
      runs.push(withLostRejects(statusReport(output, status), lostRejects.get(output)));
  }
  if (runs.length === 0) throw noRuns(title);
  const has = (state: StatusReport['state']): boolean => runs.some(run => run.state === state);
  if (has('running')) for (const report of waiting) report.state = 'waiting';
  const totals = Array.from(refused ?? [], ([output, { code, message }]) => ({ output, code, message }));
  const isStopped = has('stopped') || totals.length > 0;
  const state = has('running') ? 'running' : isStopped ? 'stopped' : 'finished';
  const report = { format: 1, state, ...(totals.length > 0 && { refused: totals }), runs };
  return { text: isJson ? jsonOf(report) : describeRuns(title, runs, totals), state };
}

const jsonOf = (value: unknown): string => `${JSON.stringify(value)}\n`;
