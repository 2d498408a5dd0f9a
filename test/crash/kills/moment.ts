import { existsSync } from 'node:fs';
import type { Random } from '../../../fixtures/random.ts';
import { isUnscorable } from '../unscorable.ts';
import { BATCH_ROWS, ROWS } from '../variants.ts';
import { batchesLeft, checkpointOf, type Job } from './job.ts';

/** When a run is killed: some time after a number of requests. */
export interface Moment {
  /** 0: after its start. */
  calls: number;
  ms: number;
  /** Only once there is a checkpoint to resume from. */
  atCheckpoint: boolean;
  signal: 'SIGKILL' | 'SIGTERM';
  /** The number of the sync that fails; if set, there is no kill. */
  failingSync?: number;
  /** The record in which the pipe ends. */
  truncated?: Truncated;
  /** While the earlier output is read: bytes of it before. */
  readingAt?: number;
}

export interface Truncated {
  /** Its id. The record is sent, and the kill comes while it waits for its response. */
  id: number;
  /** Bytes of the input up to a position within it. */
  bytes: number;
}

/**
 * A moment anywhere in a run: its start, the rest to score, its end.
 *
 * @param number of the kill among those of its variant, 0-based: the first ones cover each phase
 */
export async function momentOf(job: Job, random: Random, number: number): Promise<Moment> {
  const part = (await batchesLeft(job)) / (ROWS / BATCH_ROWS);
  const left = Math.ceil(job.calls * part);
  const signal = job.variant.isTerminated && random.chance(0.5) ? 'SIGTERM' : 'SIGKILL';
  // Every other one comes while the earlier output is read.
  if (job.earlierBytes > 0 && number % 2 === 1)
    return { calls: 0, ms: 0, atCheckpoint: false, signal, readingAt: random.whole(0, job.earlierBytes) };
  // The first kill of a variant comes when there is a checkpoint to resume from.
  if (number === 0) return { calls: Math.ceil(left / 2), ms: random.whole(0, 5), atCheckpoint: true, signal };
  if (job.variant.hasFailingSyncs && random.chance(0.5))
    return { calls: 0, ms: 0, atCheckpoint: false, signal, failingSync: random.whole(1, MAX_SYNCS) };
  const truncated = job.variant.isTruncated && random.chance(0.7) ? await truncate(job, random) : undefined;
  if (truncated) return { calls: 0, ms: random.whole(0, 20), atCheckpoint: false, signal, truncated };
  const phase =
    (['end', 'start'] as const)[job.earlierBytes > 0 ? number / 2 - 1 : number - 1] ??
    random.weighted({ start: 1, batch: 6, end: 3 });
  const at = (calls: number, ms: number): Moment => ({ calls, ms, atCheckpoint: false, signal });
  if (phase === 'start' || left === 0) return at(0, random.whole(0, 600));
  // Requests run ahead of the output, by far with gzip: the rest of a run is measured in time from its first request.
  const rest = Math.ceil(job.scoringMs * part);
  return phase === 'end' ? at(left, random.whole(0, rest)) : at(1, random.whole(0, rest));
}

/** A run makes about as many; with a number beyond the last, none fails. */
const MAX_SYNCS = 16;

/** A position in the note of a row that no checkpoint covers yet, and that the service accepts. */
async function truncate({ bytes: input, output }: Job, random: Random): Promise<Truncated | undefined> {
  const next = (await checkpointOf(output))?.position.row ?? 1;
  const id = random.whole(Math.min(next, ROWS - 1), ROWS - 1);
  const start = input.indexOf(`\n${id},`) + 1;
  const end = input.indexOf('\n', start);
  const note = input.indexOf(',', input.indexOf(',', start) + 1) + 1;
  // A malformed record is not sent, so no request would be in flight.
  return id < next || isUnscorable(id) || note > end ? undefined : { id, bytes: random.whole(note, end) };
}

export const isDue = ({ calls, atCheckpoint }: Moment, seen: number, { output }: Job): boolean =>
  seen >= calls && (!atCheckpoint || existsSync(`${output}.checkpoint`));

/** Where kills hit, according to the files they left. */
export const phases = ['before the first checkpoint', 'in the middle', 'at the end'] as const;
type Phase = (typeof phases)[number];

export async function phaseOf({ output }: Job): Promise<Phase> {
  const checkpoint = await checkpointOf(output);
  if (existsSync(output) || checkpoint?.state === 'complete') return 'at the end';
  if (checkpoint === undefined) return 'before the first checkpoint';
  return checkpoint.position.row > ROWS ? 'at the end' : 'in the middle';
}
