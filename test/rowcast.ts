import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { root } from './root.ts';

/** The command as a user runs it: the compiled file, in a process of its own. */
export const bin = join(root, 'dist/src/cli/main.js');

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

/** Starts `rowcast ARGS…`. */
export function startRowcast(args: readonly string[], options: RunOptions = {}): Running {
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: options.cwd ?? root,
    env: { PATH: process.env.PATH, ...options.env },
  });
  // A command that does not read its stdin closes it.
  child.stdin.on('error', () => {});
  child.stdin.end(options.stdin ?? '');
  return { child, finished: finish(child) };
}

/** Runs `rowcast ARGS…` to its end. */
export const rowcast = (args: readonly string[], options: RunOptions = {}): Promise<Finished> =>
  startRowcast(args, options).finished;

/** All that a child says, and what becomes of it. */
export async function finish(child: ChildProcessWithoutNullStreams): Promise<Finished> {
  const [stdout, stderr, [code, signal]] = await Promise.all([
    buffer(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>, // what 'close' is emitted with
  ]);
  return { code, signal, stdout, stderr };
}
