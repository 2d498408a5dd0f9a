import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { assertDocumentedExit } from './documented-exit.ts';
import { root } from './root.ts';
import { assertNoSecrets } from './secrets.ts';

/** The command as a user runs it: the bin of package.json, in its own process. */
export const bin = join(root, 'dist/src/bundle/rowcast.js');

export interface RunOptions {
  cwd?: string;
  /** The program; by default, `bin`. */
  program?: string;
  /** In addition to PATH; nothing else of the environment is passed on. */
  env?: Record<string, string>;
  stdin?: string | Buffer;
}

export interface Finished {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: Buffer;
  stderr: string;
}

/** A running command. */
export interface Running {
  child: ChildProcessWithoutNullStreams;
  finished: Promise<Finished>;
}

/** Where commands find their modules compiled, if the tests have such a place. */
const { NODE_COMPILE_CACHE: cache } = process.env;
const compileCache = cache === undefined ? {} : { NODE_COMPILE_CACHE: cache };

/** Starts `rowcast ARGS…`: without input, and without reading its output. */
export function spawnRowcast(args: readonly string[], options: RunOptions = {}): Running['child'] {
  const child = spawn(process.execPath, [options.program ?? bin, ...args], {
    cwd: options.cwd ?? root,
    env: { PATH: process.env.PATH, ...compileCache, ...options.env },
  });
  // A command that does not read stdin closes it.
  child.stdin.on('error', () => {});
  return child;
}

/** Starts `rowcast ARGS…`; when it ends, its output and files are searched for secrets. */
export function startRowcast(args: readonly string[], options: RunOptions = {}): Running {
  const child = spawnRowcast(args, options);
  child.stdin.end(options.stdin ?? '');
  const finished = finish(child).then(async end => {
    assertDocumentedExit(end);
    await assertNoSecrets({ stderr: end.stderr, args, cwd: options.cwd, env: options.env });
    return end;
  });
  return { child, finished };
}

/** Runs `rowcast ARGS…` to its end. */
export const rowcast = (args: readonly string[], options: RunOptions = {}): Promise<Finished> =>
  startRowcast(args, options).finished;

/** Waits for a command, which must exit with this code and say on stderr what these match. @returns what it wrote */
export async function exits<T extends Pick<Finished, 'code' | 'stderr'>>(
  running: Promise<T>,
  code: number,
  ...says: readonly RegExp[]
): Promise<T> {
  const finished = await running;
  assert.equal(finished.code, code, finished.stderr);
  for (const each of says) assert.match(finished.stderr, each);
  return finished;
}

/** Collects the output of a command from now on, and waits for its exit. */
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

/** Waits until its stderr matches. */
export async function waitForStderr({ stderr }: Running['child'], what: RegExp): Promise<void> {
  let said = '';
  await new Promise<void>((resolve, reject) => {
    stderr.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
      if (what.test(said)) resolve();
    });
    stderr.on('end', () => reject(new Error(`${what} is not in what the command wrote: ${said}`)));
  });
}
