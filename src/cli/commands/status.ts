import { setTimeout as sleep } from 'node:timers/promises';
import { schemeOf } from '../../base/scheme.ts';
import { flagsOfAddress } from '../../library/service/choose-service.ts';
import { findShards } from '../../library/shards/find-folder.ts';
import { ExitCode } from '../../runs/exit-code.ts';
import { lostRejectsOf } from '../../runs/status/find-runs.ts';
import { nextRunOf } from '../../runs/status/next-run.ts';
import { noRuns, readStatus } from '../../runs/status/status.ts';
import { type StatusReport, statusReport, unfinishedReport } from '../../runs/status/status-report.ts';
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
interface Place {
  among: Backends;
  /** The flags that have another command reach it too. */
  stores: readonly string[];
}

interface Seen {
  text: string;
  state: StatusReport['state'];
}

/** Prints the state of an output, or of several: those of a folder, a pattern or a definition. The exit code is that of the state. */
export async function run(context: Context): Promise<number> {
  const { flags } = context;
  const { defined, stores } = await definedRuns(context);
  const place = { among: backendsOf(stores), stores: storeFlags(stores) };
  const look = async (): Promise<Seen> => {
    const selected = await selectRuns('status', context, defined, place.among);
    const isJson = flags.json === true;
    return selected.single === undefined
      ? lookAtRuns(selected, place.among, isJson)
      : lookAt(selected.single, place, isJson);
  };
  let seen = await look();
  if (flags.watch !== true) await printText(seen.text);
  else if (process.stdout.isTTY && flags.json !== true) {
    const { createLogUpdate } = await import('log-update');
    const draw = createLogUpdate(process.stdout, { showCursor: true });
    for (; ; seen = await again(look)) {
      draw(seen.text.trimEnd());
      if (seen.state !== 'running') break;
    }
    draw.done();
  } else
    for (; ; seen = await again(look)) {
      await printText(seen.text);
      if (seen.state !== 'running') break;
    }
  return codes[seen.state];
}

const codes = { finished: ExitCode.done, running: ExitCode.running, stopped: ExitCode.stopped } as const;

async function again(look: () => Promise<Seen>): Promise<Seen> {
  await sleep(WATCH_MS);
  return look();
}

async function lookAt(path: string, place: Place, isJson: boolean): Promise<Seen> {
  const { among } = place;
  const shards = await findShards(path, among);
  if (shards !== undefined) return lookAtShards(shards, place, isJson);
  const status = await readStatus(path, among);
  const lost = schemeOf(path) === undefined ? await lostRejectsOf(path) : undefined;
  const report = withLostRejects(statusReport(path, status), lost);
  if (isJson) return { text: jsonOf(report), state: report.state };
  const { saved, run } = status;
  const next = saved === undefined || run !== undefined ? undefined : await nextRunOf(saved.checkpoint);
  const text = describeStatus(path, status, { now: new Date(), next, lostRejects: report.lost_rejects });
  return { text, state: report.state };
}

const withLostRejects = (report: StatusReport, lost: string | undefined): StatusReport =>
  report.state === 'finished' && lost !== undefined ? { ...report, lost_rejects: lost } : report;

async function lookAtShards(folder: SharedFolder, { among, stores }: Place, isJson: boolean): Promise<Seen> {
  const progress = await readProgress(folder, among);
  const report = shardsReport(progress);
  const { env } = process;
  const service = [...flagsOfAddress(plannedAddress({ flags: {}, env }, progress.run.plan), env), ...stores];
  return { text: isJson ? jsonOf(report) : describeShards(progress, report, service), state: report.state };
}

async function lookAtRuns(
  { title, runs: found, named, planned }: Extract<SelectedRuns, { single: undefined }>,
  among: Backends,
  isJson: boolean,
): Promise<Seen> {
  const runs: StatusReport[] = [];
  const { outputs, unfinished, lostRejects } = found;
  for (const output of outputs) {
    // The file may have been removed in the meantime.
    const status = await readStatus(output, among).catch((error: unknown) => {
      if (named.includes(output)) throw error;
      return undefined;
    });
    const missing = unfinished.get(output) ?? (status === undefined ? planned.get(output) : undefined);
    if (missing !== undefined) runs.push(unfinishedReport(output, missing, status));
    else if (status !== undefined)
      runs.push(withLostRejects(statusReport(output, status), lostRejects.get(output)));
  }
  if (runs.length === 0) throw noRuns(title);
  const has = (state: StatusReport['state']): boolean => runs.some(run => run.state === state);
  const state = has('running') ? 'running' : has('stopped') ? 'stopped' : 'finished';
  return { text: isJson ? jsonOf({ format: 1, state, runs }) : describeRuns(title, runs), state };
}

const jsonOf = (value: unknown): string => `${JSON.stringify(value)}\n`;
