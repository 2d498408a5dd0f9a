import { type Backends, sharedFolderAt } from '../../storage/backends.ts';
import type { SharedFolder } from '../../storage/shared-folder.ts';

/** The files of a sharded run in its folder. Numbers of shards have six digits, so that names sort like them. */
export const PLAN = 'plan.json';
/** Written when all shards are published. */
export const PLANNED = 'planned.json';
/** There while the run is cancelled. */
export const CANCELLED = 'cancelled.json';

/** The folders in it. */
export const FOLDERS = ['shards', 'leases', 'beats', 'parts', 'done', 'failed', 'joined', 'workers'] as const;

const padded = (shard: number): string => String(shard).padStart(6, '0');

/** What a shard is. */
export const shardName = (shard: number): string => `shards/${padded(shard)}.json`;
/** Who scores a shard: one file for each attempt, from 1 on. */
export const leaseName = (shard: number, attempt: number): string =>
  `leases/${padded(shard)}.${attempt}.json`;
/** How far an attempt is: its holder replaces the file at intervals. */
export const heartbeatName = (shard: number, attempt: number): string =>
  `beats/${padded(shard)}.${attempt}.json`;
/** The result of a shard: the attempt whose part counts. */
export const doneName = (shard: number): string => `done/${padded(shard)}.json`;
/** Why a shard was given up. */
export const failedName = (shard: number): string => `failed/${padded(shard)}.json`;
/** Says that all parts of an input are in its output; named by the input's index in the plan. */
export const joinedName = (file: number): string => `joined/${padded(file)}.json`;
/**
 * Says that a worker is there, and what it knows of the pace: it replaces the file at intervals, and removes it when it
 * leaves.
 */
export const workerName = (worker: string): string => `workers/${worker}.json`;
/** Written when the outputs are complete: the rest of the folder is then removed. */
export const ASSEMBLED = 'assembled.json';
/** The output of one attempt. @param suffix of the output's name: its compression depends on it */
export const partName = (shard: number, attempt: number, suffix: string): string =>
  `parts/${padded(shard)}.${attempt}${suffix}`;

/** Not that of a file that is still being written, which has more behind it. */
const NAME = /^(\d+)(?:\.(\d+))?\.json$/;

/** The shard, and the attempt if there is one, in the name of a file in a folder; undefined for other files. */
export function numbersOf(name: string): { shard: number; attempt: number } | undefined {
  const found = NAME.exec(name);
  if (found === null) return undefined;
  const [, shard, attempt = 0] = found;
  return { shard: Number(shard), attempt: Number(attempt) };
}

/** The last attempt of each shard, in the names of files of a folder. */
export function lastAttemptsIn(names: readonly string[]): Map<number, number> {
  const last = new Map<number, number>();
  for (const { shard, attempt } of names.flatMap(name => numbersOf(name) ?? []))
    last.set(shard, Math.max(attempt, last.get(shard) ?? 0));
  return last;
}

/** The worker in the name of a file in the folder of workers; undefined for other files. */
export const workerOf = (name: string): string | undefined => /^([\w-]+)\.json$/.exec(name)?.[1];

const layout = { folders: FOLDERS, files: [PLAN, PLANNED, CANCELLED, ASSEMBLED], marker: PLAN };

/** The folder of a sharded run: a path that all machines have mounted, or a URL. Nothing is read or made yet. */
export const openFolder = (path: string, among?: Backends): SharedFolder =>
  sharedFolderAt(path, layout, among);
