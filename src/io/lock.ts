import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { link, readdir, readFile, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { RowcastError } from '../errors.ts';
import { unwritable } from './target.ts';

/** Who holds a lock. Enough to tell, on the same machine, whether it lives. */
const holderShape = z.object({
  pid: z.int(),
  /** When the process started, in the kernel's own units: a pid is used again. Empty where it cannot be told. */
  started: z.string(),
  /** Where pids mean the same: machine, boot, and namespace, as containers have their own. */
  realm: z.string(),
});
type Holder = z.infer<typeof holderShape>;

export interface Lock {
  release(): Promise<void>;
}

/** A holder that cannot be looked at touches its lock this often; untouched for longer than `STALE_MS` it is gone. */
const TOUCH_MS = 5_000;
const STALE_MS = 60_000;
/** Removing a dead lock takes about this long; then it is looked at again. */
const GUARDED_MS = 5;

/**
 * Takes the lock of an output, a file beside it. A lock whose process is gone is taken over at once; one of
 * another machine or container when it was not touched for a minute. What it cannot see: a holder on another
 * host whose clock differs by more than that, or whose file system hides its touches.
 *
 * @param path the lock's own path
 * @param output the output, for the message
 * @throws RowcastError `locked`
 */
export async function takeLock(path: string, output: string): Promise<Lock> {
  const mine = `${path}.${randomUUID()}`;
  try {
    await writeFile(mine, JSON.stringify(whoAmI()), { mode: 0o600, flag: 'wx' });
    while (!(await linked(mine, path))) await takeOver(path, mine, output);
  } catch (cause) {
    throw cause instanceof RowcastError ? cause : unwritable(output, cause as Error); // what fs throws
  } finally {
    await removeIfCan(mine);
  }
  await sweep(path);
  const touching = setInterval(() => {
    const now = new Date();
    // Gone with its folder: the next write of the run will say so.
    utimes(path, now, now).catch(() => {});
  }, TOUCH_MS);
  touching.unref();
  return {
    async release() {
      clearInterval(touching);
      await removeIfCan(path);
    },
  };
}

/** A lock that is left is a dead one soon, and hides no failure of the run. */
const removeIfCan = (path: string): Promise<void> => unlink(path).catch(() => {});

/** Links are made only where nothing is: one of two that try at once gets it. */
async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false; // what fs throws
    throw cause;
  }
}

/** Removes what those have left who were killed while they took the lock; who holds it may. */
async function sweep(path: string): Promise<void> {
  const names = await readdir(dirname(path)).catch(() => []); // the next write of the run will say so
  for (const name of names.filter(each => each.startsWith(`${basename(path)}.`))) {
    const left = join(dirname(path), name);
    const found = await readLock(left);
    if (found !== undefined && !found.isHeld) await removeIfCan(left);
  }
}

/**
 * Asks for a lock without taking it.
 *
 * @param path the lock's own path
 * @returns the process that holds it, its id undefined where that cannot be told; undefined where none does
 */
export async function holderOf(path: string): Promise<{ pid: number | undefined } | undefined> {
  const found = await readLock(path);
  return found?.isHeld ? { pid: found.pid } : undefined;
}

/** Who holds a lock, and whether that one lives; undefined where there is none. */
async function readLock(path: string): Promise<{ text: string; pid?: number; isHeld: boolean } | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined); // released meanwhile
  const touched = (await stat(path).catch(() => undefined))?.mtimeMs;
  if (text === undefined || touched === undefined) return undefined;
  const { data } = holderShape.safeParse(parseJson(text));
  if (data === undefined) return { text, isHeld: true };
  return { text, pid: data.pid, isHeld: isAlive(data, whoAmI(), Date.now() - touched, startedOf) };
}

/** Takes a dead holder's lock away; throws when it lives. */
async function takeOver(path: string, mine: string, output: string): Promise<void> {
  const found = await readLock(path);
  if (found === undefined) return;
  const { text, pid, isHeld } = found;
  if (!isHeld) return removeDead(path, text, mine);
  throw new RowcastError(
    'locked',
    `another run writes this output${pid === undefined ? '' : `, process ${pid}`}`,
    {
      place: { file: output },
      hint: `Wait for it, or end it; if there is none, remove ${path}.`,
    },
  );
}

/**
 * Removes a lock that a dead process has left, if it is still there. Who does has a guard, named for the dead one:
 * without it, the lock of who came next could be taken for the dead one's that was looked at before. A guard whose
 * holder has died goes in the same way.
 */
async function removeDead(path: string, text: string, mine: string): Promise<void> {
  const guard = `${path}.${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
  if (await linked(mine, guard)) {
    const isThere = (await readLock(path))?.text === text;
    if (isThere) await unlink(path);
    await unlink(guard);
    return;
  }
  const other = await readLock(guard);
  if (other?.isHeld) await delay(GUARDED_MS);
  else if (other !== undefined) await removeDead(guard, other.text, mine);
}

/**
 * Whether the holder of a lock lives, as seen from another process.
 *
 * @param untouched milliseconds since it touched its lock
 * @param startedOf when a process of this machine started, undefined where there is none
 */
export function isAlive(
  holder: Holder,
  viewer: Holder,
  untouched: number,
  startedOf: (pid: number) => string | undefined,
): boolean {
  if (holder.realm !== viewer.realm) return untouched < STALE_MS;
  return startedOf(holder.pid) === holder.started;
}

function whoAmI(): Holder {
  return {
    pid: process.pid,
    started: startedOf(process.pid) ?? '',
    realm: [hostname(), readOr('/proc/sys/kernel/random/boot_id', ''), linkOr('/proc/self/ns/pid', '')].join(
      ' ',
    ),
  };
}

/** Field 22 of /proc/PID/stat (proc_pid_stat(5)); '' where there is no /proc but such a process. */
function startedOf(pid: number): string | undefined {
  const stat = readOr(`/proc/${pid}/stat`, undefined);
  // The second field is the program's name in parentheses, which may hold blanks.
  if (stat !== undefined) {
    const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A process that was killed stays as a zombie until its parent asks for it, which some never do.
    return 'ZX'.includes(state) ? undefined : fields[18];
  }
  try {
    process.kill(pid, 0);
    return readOr('/proc/self/stat', undefined) === undefined ? '' : undefined;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'EPERM' ? '' : undefined; // what kill throws
  }
}

function readOr<T>(path: string, fallback: T): string | T {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return fallback; // not Linux, or no such process
  }
}

function linkOr(path: string, fallback: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return fallback; // not Linux
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
