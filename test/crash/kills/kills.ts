import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual, promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import type { Random } from '../../../fixtures/random.ts';
import { type Finished, rowcast, startRowcast } from '../../support/rowcast.ts';
import type { Variant } from '../variants.ts';
import { commandOf, earlierFiles, type Job, prepare, waitsIn } from './job.ts';
import { isDue, type Moment, momentOf, phaseOf, phases } from './moment.ts';
import { differenceOf } from './varying.ts';

/**
 * What is counted: kills, where they hit, runs that ended because a sync failed, kills after the pipe had ended within a
 * record or while the earlier output was read, and runs that reported resuming an unfinished one.
 */
const counted = [...phases, 'kills', 'failedSyncs', 'truncated', 'reading', 'resumes'] as const;

/** The results of kills. */
export interface Tally extends Record<(typeof counted)[number], number> {
  variant: string;
  /** What was wrong. */
  failures: string[];
}

export function sumOf(variant: string, tallies: readonly Tally[]): Tally {
  const sums = counted.map(name => [name, tallies.reduce((sum, tally) => sum + tally[name], 0)]);
  return { ...Object.fromEntries(sums), variant, failures: tallies.flatMap(({ failures }) => failures) };
}

/** @param more what else is said about where they hit */
export function describeKills(tally: Tally, more: readonly string[] = []): string {
  const where = [...phases.map(phase => `${tally[phase]} ${phase}`), ...more];
  return `${tally.variant}: ${tally.kills} kills (${where.join(', ')}), ${tally.resumes} resumes`;
}

export interface KillOptions {
  kills: number;
  random: Random;
  /** Whether to start no further output. */
  isOver?: () => boolean;
}

/** Maximum number of kills before an output may finish. */
const MAX_KILLS = 5;

/** Kills runs of a variant at random moments until each is done, and compares the results. */
export async function killRuns(variant: Variant, { kills, random, isOver }: KillOptions): Promise<Tally> {
  const tally = sumOf(variant.name, []);
  const folder = await mkdtemp(join(tmpdir(), 'rowcast-crash-'));
  const job = await prepare(variant, folder, random);
  try {
    const wanted = await uninterrupted(job);
    while (tally.kills < kills && tally.failures.length === 0 && !isOver?.()) {
      const most = Math.min(random.whole(1, MAX_KILLS), kills - tally.kills);
      await killUntilDone(job, wanted, most, random, tally);
    }
  } finally {
    await job.stub.close();
    await rm(folder, { recursive: true });
  }
  return tally;
}

/** The result of a run: the bytes of each file, and the row counts. */
interface Wanted {
  code: number;
  files: ReadonlyMap<string, Buffer>;
  rows: unknown;
}

async function uninterrupted(job: Job): Promise<Wanted> {
  let begun = 0;
  job.onCall = () => {
    begun ||= performance.now();
    job.calls++;
  };
  const finished = await rowcast(...commandOf(job));
  job.onCall = undefined;
  job.scoringMs = performance.now() - begun;
  const { hasRejects = false } = job.variant;
  const code = hasRejects ? 1 : 0;
  assert.equal(finished.code, code, finished.stderr);
  const rows = await rowsIn(job.summary);
  const files = new Map<string, Buffer>();
  for (const path of [job.output, ...(hasRejects ? [`${job.output}.rejects`] : [])])
    files.set(path, await readFile(path));
  for (const path of [job.summary, ...files.keys()]) await rm(path);
  return { code, files, rows };
}

/** The row counts of a summary. */
async function rowsIn(summary: string): Promise<unknown> {
  return JSON.parse(await readFile(summary, 'utf8')).rows;
}

/** One output: its run is killed a few times, at most as often as `most`, then runs to its end. */
async function killUntilDone(
  job: Job,
  wanted: Wanted,
  most: number,
  random: Random,
  tally: Tally,
): Promise<void> {
  const { folder, input, output, summary, variant } = job;
  const kept = `${output}.reuse`;
  const earlier = earlierFiles.map(name => join(folder, name));
  const expected = [input, summary, ...wanted.files.keys(), kept, ...earlier];
  for (let kills = 0; ; ) {
    const moment = kills < most ? await momentOf(job, random, tally.kills) : undefined;
    const { code, signal, stderr } = await runUntil(job, moment);
    if (stderr.includes('resuming at row')) tally.resumes++;
    // Under its final name, a file is complete at any moment.
    for (const [path, bytes] of wanted.files)
      if (existsSync(path)) {
        const difference = differenceIn(job, path, await readFile(path), bytes);
        if (difference !== undefined) tally.failures.push(`${basename(path)}: ${difference}`);
      }
    if (code === wanted.code) break;
    const hasFailed = moment?.failingSync !== undefined && code === 3 && stderr.includes('EIO');
    const wasKilled =
      hasFailed || signal === moment?.signal || (moment?.signal === 'SIGTERM' && code === 143);
    if (hasFailed) tally.failedSyncs++;
    if (moment?.truncated !== undefined && wasKilled) tally.truncated++;
    if (moment?.readingAt !== undefined && wasKilled) tally.reading++;
    if (!wasKilled) {
      tally.failures.push(`exit ${code ?? signal}: ${stderr}`);
      return;
    }
    kills++;
    tally.kills++;
    tally[await phaseOf(job)]++;
    if (variant.isTouched) await utimes(input, tally.kills, tally.kills);
  }
  for (const path of wanted.files.keys())
    if (!existsSync(path)) tally.failures.push(`ended without ${basename(path)}`);
  const problem = await problemOf(job);
  if (problem !== undefined) tally.failures.push(problem);
  if (!isDeepStrictEqual(await rowsIn(summary), wanted.rows)) tally.failures.push('wrong counts');
  const left = (await readdir(folder)).map(name => join(folder, name));
  const litter = left.filter(path => !expected.includes(path));
  if (litter.length > 0) tally.failures.push(`left behind: ${litter.join(', ')}`);
  for (const path of [summary, ...wanted.files.keys(), kept]) await rm(path, { force: true });
}

/** How a file differs from that of an uninterrupted run; with varying responses, each row must match one of them. */
function differenceIn(
  { variant, output, service }: Job,
  path: string,
  bytes: Buffer,
  wanted: Buffer,
): string | undefined {
  if (bytes.equals(wanted)) return undefined;
  if (!variant.isVarying || path !== output) return 'different bytes';
  return differenceOf(textOf(path, bytes), textOf(path, wanted), service);
}

const textOf = (path: string, bytes: Buffer): string =>
  (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('latin1');

/** The errors that gzip and `rowcast verify` find in a finished output. */
async function problemOf({ variant, input, output }: Job): Promise<string | undefined> {
  if (!variant.isVarying) return undefined;
  if (output.endsWith('.gz')) {
    const failure = await promisify(execFile)('gzip', ['-t', output]).catch((error: Error) => error);
    if (failure instanceof Error) return failure.message;
  }
  const { code, stderr } = await rowcast(['verify', input, output]);
  return code === 0 ? undefined : `verify: ${stderr}`;
}

/** Runs the command to its end, or to a kill. */
async function runUntil(job: Job, moment: Moment | undefined): Promise<Finished> {
  const { truncated, failingSync, readingAt } = moment ?? {};
  const { child, finished } = startRowcast(...commandOf(job, moment));
  const ended = new AbortController();
  const killAfter = async ({ ms, signal }: Moment): Promise<void> => {
    await delay(ms, undefined, { signal: ended.signal }).catch(() => {}); // it has already ended
    child.kill(signal);
  };
  if (moment !== undefined && truncated !== undefined) {
    // The response waits for the signal: a run that is stopping still gets it, and writes the truncated record.
    job.onCall = async ids => {
      if (!ids.includes(truncated.id)) return;
      job.onCall = undefined;
      await killAfter(moment);
    };
  } else if (moment !== undefined && readingAt !== undefined) {
    const sign = waitsIn(job.folder);
    void (async () => {
      while (!existsSync(sign) && !ended.signal.aborted) await delay(5);
      await rm(sign, { force: true });
      if (!ended.signal.aborted) await killAfter(moment);
    })();
  } else if (moment !== undefined && failingSync === undefined) {
    let calls = 0;
    const killWhenDue = (): void => {
      if (!isDue(moment, calls, job)) return;
      job.onCall = undefined;
      void killAfter(moment);
    };
    job.onCall = () => {
      calls++;
      killWhenDue();
    };
    if (moment.calls === 0) killWhenDue();
  }
  const end = await finished;
  ended.abort();
  job.onCall = undefined;
  return end;
}
