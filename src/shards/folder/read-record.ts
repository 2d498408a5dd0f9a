import { setTimeout as sleep } from 'node:timers/promises';
import type * as z from 'zod';
import { RowcastError } from '../../base/errors.ts';
import type { SharedFolder } from '../../storage/shared-folder.ts';
import { heartbeatName } from './names.ts';
import { heartbeatShape, type ShardHeartbeat } from './result-shape.ts';

/**
 * How often a file is read, and at what interval, before it counts as damaged. A network file system may truncate a new
 * text to the length of the former one (sshfs does after a stalled connection), and on one without hard links, a file
 * is empty for a moment before its content is there.
 */
const TRIES = 6;
const AGAIN_MS = 200;

/** Reads a file of the run; undefined if it does not exist. @throws RowcastError `bad_plan` */
export async function readRecord<T>(
  folder: SharedFolder,
  name: string,
  shape: z.ZodType<T>,
): Promise<T | undefined> {
  for (let tries = 1; ; tries++)
    try {
      return await readOnce(folder, name, shape);
    } catch (error) {
      if (tries === TRIES || !isDamage(error)) throw error;
      await sleep(AGAIN_MS);
    }
}

/** Reads a file that its writer replaces at intervals, once: the next one may be whole. */
export async function readOnce<T>(
  folder: SharedFolder,
  name: string,
  shape: z.ZodType<T>,
): Promise<T | undefined> {
  const text = await folder.read(name);
  if (text === undefined) return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // Reported below.
  }
  const checked = shape.safeParse(parsed);
  if (checked.success) return checked.data;
  throw new RowcastError('bad_plan', 'not a file of a sharded run by this version of rowcast', {
    location: { file: `${folder.path}/${name}` },
    hint: 'Finish the run with the version that planned it, or discard it with rowcast abort.',
  });
}

/** Whether reading failed because the file is damaged. */
export const isDamage = (error: unknown): boolean =>
  error instanceof RowcastError && error.code === 'bad_plan';

/** The last heartbeat of an attempt; undefined before the first one, or if it is damaged: the next one replaces it. */
export async function readHeartbeat(
  folder: SharedFolder,
  shard: number,
  attempt: number,
): Promise<ShardHeartbeat | undefined> {
  try {
    return await readOnce(folder, heartbeatName(shard, attempt), heartbeatShape);
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}
