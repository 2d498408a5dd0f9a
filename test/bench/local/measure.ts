import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../../support/root.ts';
import type { Command, Taken } from '../runs.ts';

const exec = promisify(execFile);

/** Scripts in Python: those to compare with, their trainings, and the one that measures a process. */
export const peers = join(root, 'test/bench/local/peers');

/**
 * Measures processes of any language with the kernel's own figures, all of their threads included.
 *
 * @returns a function that runs a command to its end, and throws with its output if it fails
 */
export function measureWith(python: string, log: string): (command: Command) => Promise<Taken> {
  return async ({ file, args, env }) => {
    const words = [join(peers, 'measure.py'), log, file, ...args];
    const { stdout } = await exec(python, words, { env: { PATH: process.env.PATH, ...env } });
    const { code, seconds, cpu, rss } = JSON.parse(stdout); // The output of measure.py.
    if (code === 0) return { seconds, cpu, rss };
    throw new Error(`${file} ${args.join(' ')} ended with ${code}:\n${await readFile(log, 'utf8')}`);
  };
}
