import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

/** How long a test waits for anything: a busy machine is slow. */
const PATIENCE_MS = 240_000;

/**
 * Looks every now and then until there is something.
 *
 * @param ended the end of a program, after which there will be nothing
 * @throws if it takes too long
 */
export async function until<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
  ended?: Promise<Ended>,
): Promise<T> {
  let output: string | undefined;
  void ended?.then(end => {
    output = end.output;
  });
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await delay(50)) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (output !== undefined) throw new Error(`ended without ${what}: ${output}`);
  }
  throw new Error(`waited in vain for ${what}`);
}

export interface Ended {
  code: number | null;
  /** stdout and stderr. */
  output: string;
}

/** Runs a program to its end. */
export async function runProgram(
  program: string,
  args: readonly string[],
  { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<Ended> {
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [code]] = await Promise.all([
    textOf(child.stdout),
    textOf(child.stderr),
    once(child, 'close'),
  ]);
  return { code: code as number | null, output: stdout + stderr };
}

/** The processes that a process has started, and theirs; the process itself is not among them. */
export function descendantsOf(pid: number): { pid: number; command: string }[] {
  const all = readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(name => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        const parent = Number(stat.slice(stat.lastIndexOf(')') + 4).split(' ', 1)[0]);
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return [{ pid: Number(name), parent, command }];
      } catch {
        return []; // it has ended
      }
    });
  const under = (of: number): typeof all =>
    all.filter(({ parent }) => parent === of).flatMap(each => [each, ...under(each.pid)]);
  return under(pid);
}

/** Whether a process exists and is not a zombie. */
export function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !'ZX'.includes(stat.charAt(stat.lastIndexOf(')') + 2));
  } catch {
    return false;
  }
}
