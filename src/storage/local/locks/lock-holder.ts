import { readFileSync, readlinkSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import * as z from 'zod';
import { jsonValue } from '../../../base/json-value.ts';

/** Who holds a lock: enough to determine, on the same machine, whether the process is still alive. */
const holderShape = z.object({
  pid: z.int(),
  /** When the process started, in the kernel's own units, because pids are reused. Empty where it is unknown. */
  started: z.string(),
  /** Where pids mean the same: machine, boot, and namespace, as containers have their own. */
  realm: z.string(),
  /** The output of its run. */
  output: z.string().optional(),
});
type Holder = z.infer<typeof holderShape>;

/**
 * A lock that was not touched for this long is stale if the process cannot be checked: its holder is on another
 * machine, or the content is not valid (a power loss can leave an empty file).
 */
const STALE_MS = 60_000;

/** An existing lock file. */
export interface FoundLock {
  text: string;
  /** Undefined if the content is not valid, or cannot be read. */
  pid?: number;
  /** Name of its machine. */
  host?: string | undefined;
  output?: string | undefined;
  isHeld: boolean;
}

/** Reads a lock file and determines whether it is held; undefined if it does not exist. */
export async function readLock(path: string): Promise<FoundLock | undefined> {
  const text = await readFile(path, 'utf8').catch(
    // One of another user, or released in the meantime.
    ({ code }: NodeJS.ErrnoException) => (code === 'EACCES' ? '' : undefined),
  );
  const touched = (await stat(path).catch(() => undefined))?.mtimeMs;
  if (text === undefined || touched === undefined) return undefined;
  const untouched = Date.now() - touched;
  const { data } = holderShape.safeParse(jsonValue(text));
  if (data === undefined) return { text, isHeld: isRecent(untouched) };
  return {
    text,
    pid: data.pid,
    host: data.realm.split(' ', 1)[0],
    output: data.output,
    isHeld: isAlive(data, thisProcess(), untouched, startedOf),
  };
}

/**
 * Whether the holder of a lock is alive, as seen from another process.
 *
 * @param untouched milliseconds since it touched its lock
 * @param startedOf start time of a process on this machine; undefined if it does not exist
 */
export function isAlive(
  holder: Holder,
  viewer: Holder,
  untouched: number,
  startedOf: (pid: number) => string | undefined,
): boolean {
  if (holder.realm !== viewer.realm) return isRecent(untouched);
  return startedOf(holder.pid) === holder.started;
}

/** Whether a process has ended; false if it is on another machine, so that this one cannot tell. */
export const processIsGone = (holder: Omit<Holder, 'output'>): boolean =>
  holder.realm === thisProcess().realm && startedOf(holder.pid) !== holder.started;

/** A time far in the future is not recent either: the clock was set back. */
const isRecent = (untouched: number): boolean => Math.abs(untouched) < STALE_MS;

export function thisProcess(): Holder {
  return {
    pid: process.pid,
    started: startedOf(process.pid) ?? '',
    realm: [hostname(), readOr('/proc/sys/kernel/random/boot_id', ''), linkOr('/proc/self/ns/pid', '')].join(
      ' ',
    ),
  };
}

/** Field 22 of /proc/PID/stat (proc_pid_stat(5)); '' if the process exists but /proc does not. */
function startedOf(pid: number): string | undefined {
  const stat = readOr(`/proc/${pid}/stat`, undefined);
  // The second field is the program's name in parentheses, which may contain spaces.
  if (stat !== undefined) {
    const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A killed process remains a zombie until its parent waits for it, which some parents never do.
    return 'ZX'.includes(state) ? undefined : fields[18];
  }
  try {
    process.kill(pid, 0);
    return readOr('/proc/self/stat', undefined) === undefined ? '' : undefined;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'EPERM' ? '' : undefined; // errors of kill
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
