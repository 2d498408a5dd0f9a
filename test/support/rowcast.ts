import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { root } from './root.ts';
import { assertNothingTold } from './secrets.ts';

/** The command as a user runs it: what package.json names, in a process of its own. */
export const bin = join(root, 'dist/src/bundle/rowcast.js');

export interface RunOptions {
  cwd?: string;
  /** Beside PATH; nothing of the caller's environment is passed on. */
  env?: Record<string, string>;
  stdin?: string | Buffer;
}

export interface Finished {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: Buffer;
  stderr: string;
}

/** A command that runs. */
export interface Running {
  child: ChildProcessWithoutNullStreams;
  finished: Promise<Finished>;
}

/** Starts `rowcast ARGS…`: nothing is fed to it, and nothing that it says is read. */
export function spawnRowcast(args: readonly string[], options: RunOptions = {}): Running['child'] {
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: options.cwd ?? root,
    env: { PATH: process.env.PATH, ...options.env },
  });
  // A command that does not read its stdin closes it.
  child.stdin.on('error', () => {});
  return child;
}

/** Starts `rowcast ARGS…`; when it has ended, what it leaves behind is searched for secrets. */
export function startRowcast(args: readonly string[], options: RunOptions = {}): Running {
  const child = spawnRowcast(args, options);
  child.stdin.end(options.stdin ?? '');
  const finished = finish(child).then(async end => {
    await assertNothingTold({ stderr: end.stderr, args, cwd: options.cwd, env: options.env });
    return end;
  });
  return { child, finished };
}

/** Runs `rowcast ARGS…` to its end. */
export const rowcast = (args: readonly string[], options: RunOptions = {}): Promise<Finished> =>
  startRowcast(args, options).finished;

/** All that a command says from here on, and what becomes of it. */
async function finish(child: Running['child']): Promise<Finished> {
  const stdout: Buffer[] = [];
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  const [code, signal] = await once(child, 'close');
  return { code, signal, stdout: Buffer.concat(stdout), stderr };
}

/** When it has said so on stderr. */
export async function says({ stderr }: Running['child'], what: RegExp): Promise<void> {
  let said = '';
  await new Promise<void>(resolve => {
    stderr.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
      if (what.test(said)) resolve();
    });
  });
}
