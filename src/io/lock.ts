import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { link, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import * as z from 'zod';
import { RowcastError } from '../errors.ts';

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
  await writeFile(mine, JSON.stringify(whoAmI()), { mode: 0o600, flag: 'wx' }).catch(cause => {
    throw new RowcastError('unwritable_output', `the output cannot be written: ${cause.message}`, {
      place: { file: output },
      cause,
    });
  });
  try {
    while (!(await linked(mine, path))) await takeOver(path, output);
  } finally {
    await rm(mine, { force: true });
  }
  const touching = setInterval(() => {
    const now = new Date();
    // Gone with its folder: the next write of the run will say so.
    utimes(path, now, now).catch(() => {});
  }, TOUCH_MS);
  touching.unref();
  return {
    async release() {
      clearInterval(touching);
      await rm(path, { force: true });
    },
  };
}

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

/**
 * Asks for a lock without taking it.
 *
 * @param path the lock's own path
 * @returns the process that holds it, its id undefined where that cannot be told; undefined where none does
 */
export async function holderOf(path: string): Promise<{ pid: number | undefined } | undefined> {
  const found = await lookAt(path);
  return found?.isHeld ? { pid: found.pid } : undefined;
}

/** What a lock's file says; undefined where there is none. */
async function lookAt(
  path: string,
): Promise<{ text: string; pid: number | undefined; isHeld: boolean } | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined); // released meanwhile
  const touched = (await stat(path).catch(() => undefined))?.mtimeMs;
  if (text === undefined || touched === undefined) return undefined;
  const { data: holder } = holderShape.safeParse(parseJson(text));
  const isHeld = holder === undefined || isAlive(holder, whoAmI(), Date.now() - touched, startedOf);
  return { text, pid: holder?.pid, isHeld };
}

/** Takes a dead holder's lock away; throws when it lives. */
async function takeOver(path: string, output: string): Promise<void> {
  const found = await lookAt(path);
  if (found === undefined) return;
  if (found.isHeld)
    throw new RowcastError(
      'locked',
      `another run writes this output${found.pid === undefined ? '' : `, process ${found.pid}`}`,
      {
        place: { file: output },
        hint: `Wait for it, or end it; if there is none, remove ${path}.`,
      },
    );
  // Renamed, not removed, so that of two that take it over only one does.
  const taken = `${path}.${randomUUID()}`;
  const isMine = await rename(path, taken).then(
    () => true,
    () => false,
  );
  if (!isMine) return;
  const isSame = (await readFile(taken, 'utf8')) === found.text;
  if (!isSame) await linked(taken, path);
  await rm(taken, { force: true });
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
  if (stat !== undefined) return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
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
