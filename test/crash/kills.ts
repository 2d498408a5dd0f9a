import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Random } from '../../fixtures/random.ts';
import { type Finished, rowcast, startRowcast } from '../rowcast.ts';
import { commandOf, type Job, prepare } from './job.ts';
import { isDue, type Moment, momentOf, type Phase, phaseOf } from './moment.ts';
import type { Variant } from './variants.ts';

/** What kills have come to. */
export interface Tally {
  variant: string;
  kills: number;
  /** Runs that said that they go on with an unfinished one. */
  resumes: number;
  phases: Record<Phase, number>;
  /** What was not as it must be. */
  failures: string[];
}

export interface KillOptions {
  kills: number;
  random: Random;
  /** Whether no further output is wanted. */
  isOver?: () => boolean;
}

/** Most kills until an output is left to be finished. */
const MOST_KILLS = 5;

/** Kills runs of a variant at random moments until each is done, and compares what they come to. */
export async function killRuns(variant: Variant, { kills, random, isOver }: KillOptions): Promise<Tally> {
  const none = { 'before the first checkpoint': 0, 'in the middle': 0, 'at the end': 0 };
  const tally: Tally = { variant: variant.name, kills: 0, resumes: 0, phases: none, failures: [] };
  const folder = await mkdtemp(join(tmpdir(), 'rowcast-crash-'));
  const job = await prepare(variant, folder, random);
  try {
    const wanted = await uninterrupted(job);
    while (tally.kills < kills && tally.failures.length === 0 && !isOver?.()) {
      const most = Math.min(random.whole(1, MOST_KILLS), kills - tally.kills);
      await killUntilDone(job, { wanted, most, random, tally });
    }
  } finally {
    await job.stub.close();
    await rm(folder, { recursive: true });
  }
  return tally;
}

/** What a run comes to: the bytes of each file that it makes, and what became of the rows. */
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
  for (const path of [job.output, ...(hasRejects ? [`${job.output}.rejects.csv`] : [])])
    files.set(path, await readFile(path));
  for (const path of [job.summary, ...files.keys()]) await rm(path);
  return { code, files, rows };
}

/** What a summary says of the rows. */
async function rowsIn(summary: string): Promise<unknown> {
  return JSON.parse(await readFile(summary, 'utf8')).rows;
}

interface Until {
  wanted: Wanted;
  /** Kills, at most. */
  most: number;
  random: Random;
  tally: Tally;
}

/** One output: its run is killed a few times, and then let go to its end. */
async function killUntilDone(job: Job, { wanted, most, random, tally }: Until): Promise<void> {
  const { folder, input, summary, variant } = job;
  const expected = [input, summary, ...wanted.files.keys()];
  for (let kills = 0; ; ) {
    const moment = kills < most ? await momentOf(job, random, tally.kills) : undefined;
    const { code, signal, stderr } = await runUntil(job, moment);
    if (stderr.includes('going on with row')) tally.resumes++;
    // What stands under a file's own name is whole at any moment.
    for (const [path, bytes] of wanted.files)
      if (existsSync(path) && !bytes.equals(await readFile(path)))
        tally.failures.push(`other bytes in ${basename(path)}`);
    if (code === wanted.code) break;
    const wasKilled = signal === moment?.signal || (moment?.signal === 'SIGTERM' && code === 143);
    if (!wasKilled) {
      tally.failures.push(`exit ${code ?? signal}: ${stderr}`);
      return;
    }
    kills++;
    tally.kills++;
    tally.phases[await phaseOf(job)]++;
    if (variant.isTouched) await utimes(input, tally.kills, tally.kills);
  }
  for (const path of wanted.files.keys())
    if (!existsSync(path)) tally.failures.push(`ended without ${basename(path)}`);
  if (!isDeepStrictEqual(await rowsIn(summary), wanted.rows)) tally.failures.push('other counts');
  const left = (await readdir(folder)).map(name => join(folder, name));
  const litter = left.filter(path => !expected.includes(path));
  if (litter.length > 0) tally.failures.push(`left behind: ${litter.join(', ')}`);
  for (const path of [summary, ...wanted.files.keys()]) await rm(path, { force: true });
}

/** Runs the command to its end, or to a kill. */
async function runUntil(job: Job, moment: Moment | undefined): Promise<Finished> {
  const { child, finished } = startRowcast(...commandOf(job));
  const ended = new AbortController();
  if (moment !== undefined) {
    let calls = 0;
    const killWhenDue = (): void => {
      if (!isDue(moment, calls, job)) return;
      job.onCall = undefined;
      delay(moment.ms, undefined, { signal: ended.signal }).then(
        () => child.kill(moment.signal),
        () => {}, // it has come to its end before
      );
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
