import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

/** A server that a test has started. */
export interface Store {
  name: 'Redis' | 'PostgreSQL';
  /** For --queue. */
  url: string;
  /** The Unix socket on which it listens, and the URL for a proxy to it on a port of this machine. */
  socket: string;
  urlAt(port: number): string;
  /** Ends it as a power cut does. */
  kill(): Promise<void>;
  /** Starts it again, with what it had on its disk. */
  start(): Promise<void>;
}

/** The full path of a program; undefined if this machine does not have it. */
export function programOf(name: string, folders: readonly string[] = []): string | undefined {
  const path = [process.env.PATH, ...folders].join(':');
  try {
    return execFileSync('sh', ['-c', `command -v ${name}`], { env: { PATH: path }, encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}

/** User and group for programs that refuse to run as root; nothing for other users. */
export function unprivileged(): { uid: number; gid: number } | Record<string, never> {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** Ends a process that a test has started, and waits for its end. */
export async function killProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Waits until a server answers. */
export async function untilReady(
  what: string,
  child: ChildProcess,
  isReady: () => Promise<boolean>,
): Promise<void> {
  const end = performance.now() + 60_000;
  while (!(await isReady().catch(() => false))) {
    if (child.exitCode !== null || performance.now() > end)
      throw new Error(`${what} did not start: ${child.exitCode ?? 'no answer'}`);
    await delay(20);
  }
}
