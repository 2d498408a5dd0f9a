import { setTimeout as sleep } from 'node:timers/promises';
import type { Backends } from '../../storage/backends.ts';
import { lockOf } from '../../storage/local/locks/lock-file.ts';
import { processIsGone, thisProcess } from '../../storage/local/locks/lock-holder.ts';
import { holderOf } from '../../storage/local/locks/output-lock.ts';
import type { SharedFolder } from '../../storage/shared-folder.ts';
import { CANCELLED, heartbeatName, lastAttemptsIn, leaseName, numbersOf } from '../folder/names.ts';
import { LEASE_MS } from '../folder/next-attempt.ts';
import { isStored, partOutput } from '../folder/part-output.ts';
import { readHeartbeat, readRecord } from '../folder/read-record.ts';
import { readRun, type ShardedRun } from '../folder/read-run.ts';
import { type LeaseHolder, leaseShape, type ShardHeartbeat } from '../folder/result-shape.ts';

/** The last attempt to score a shard that has no result. */
export interface LastAttempt {
  shard: number;
  attempt: number;
  holder: LeaseHolder;
  beat: ShardHeartbeat | undefined;
  isAlive: boolean;
  /** By the clock of the storage. */
  begun: Date;
  seen: Date;
}

export interface ShardsProgress {
  run: ShardedRun;
  attempts: readonly LastAttempt[];
  isCancelled: boolean;
  /** Whether the parts are being joined. */
  isAssembling: boolean;
}

/** A worker of another machine is shown as dead this long after its last heartbeat, by the clock of the storage. */
const SILENT_MS = 60_000;

/** Reads how far a sharded run is, without changing anything. */
export async function readProgress(folder: SharedFolder, among: Backends): Promise<ShardsProgress> {
  const run = await readRun(folder);
  const attempts = await lastAttempts(folder);
  const locks = await Promise.all(run.plan.files.map(({ output }) => holderOfOutput(output, among)));
  return {
    run,
    // A shard may have got its result in between.
    attempts: attempts.filter(({ shard }) => !run.results.has(shard) && !run.failures.has(shard)),
    isCancelled: (await folder.read(CANCELLED)) !== undefined,
    isAssembling: locks.some(holder => holder !== undefined),
  };
}

/** The last attempt of each shard that has no result. */
export async function lastAttempts(folder: SharedFolder): Promise<LastAttempt[]> {
  const finished = new Set((await folder.list('done')).map(name => numbersOf(name)?.shard));
  const attempts = [...lastAttemptsIn(await folder.list('leases'))].flatMap(([shard, attempt]) =>
    finished.has(shard) ? [] : [readAttempt(folder, shard, attempt)],
  );
  return (await Promise.all(attempts)).filter(each => each !== undefined);
}

async function readAttempt(
  folder: SharedFolder,
  shard: number,
  attempt: number,
): Promise<LastAttempt | undefined> {
  const [lease, beating] = [leaseName(shard, attempt), heartbeatName(shard, attempt)];
  const holder = await readRecord(folder, lease, leaseShape);
  const begun = await folder.modified(lease);
  if (holder === undefined || begun === undefined) return undefined;
  const beat = await readHeartbeat(folder, shard, attempt);
  const seen = (await folder.modified(beating)) ?? begun;
  const isSilent = Math.abs(Date.now() - seen.getTime()) > SILENT_MS;
  const isAlive = beat?.state !== 'ended' && !processIsGone(holder) && !isSilent;
  return { shard, attempt, holder, beat, isAlive, begun, seen };
}

/** The process that joins an output, if there is one. */
const holderOfOutput = async (output: string, among: Backends): Promise<unknown> =>
  isStored(output) ? (await (await partOutput(output, among)).state()).holder : holderOf(lockOf(output));

const POLL_MS = 250;

/**
 * Finds an attempt whose worker is alive. Of another machine, that is one which sends a heartbeat before its lease is
 * over, so this may take that long; clocks are not compared.
 */
export async function aliveAttempt(
  folder: SharedFolder,
  attempts: readonly LastAttempt[],
): Promise<LastAttempt | undefined> {
  const { realm } = thisProcess();
  const here = attempts.find(({ holder, isAlive }) => isAlive && holder.realm === realm);
  const others = attempts.filter(({ holder, isAlive }) => isAlive && holder.realm !== realm);
  if (here !== undefined || others.length === 0) return here;
  for (const begun = performance.now(); performance.now() - begun < LEASE_MS; ) {
    await sleep(POLL_MS);
    for (const other of others) {
      const beat = await readHeartbeat(folder, other.shard, other.attempt);
      if (beat !== undefined && beat.beat !== other.beat?.beat && beat.state !== 'ended') return other;
    }
  }
  return undefined;
}
