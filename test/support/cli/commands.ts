import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { newFolder } from '../folder.ts';
import { rowcast } from '../in-process.ts';
import { type Finished, type RunOptions, startRowcast } from '../rowcast.ts';

/** A command line without `rowcast`: words between spaces, or a list if one is empty or contains a space. */
export type Line = string | readonly string[];

/** The words of a command line. */
export const wordsOf = (line: Line): readonly string[] =>
  typeof line === 'string' ? line.split(' ').filter(word => word !== '') : line;

/** A command that has ended; `bytes` is what it wrote to stdout. */
export interface Ended extends Pick<Finished, 'code' | 'stderr'> {
  stdout: string;
  bytes: Buffer;
}

/** A folder with these files, and commands that run in it, in this process. */
export async function commandsIn(
  t: TestContext,
  files: Readonly<Record<string, string | Uint8Array>> = {},
  env: Readonly<Record<string, string>> = {},
) {
  const cwd = await newFolder(t, files);
  const path = (name: string): string => join(cwd, name);
  const run = async (line: Line, more: Pick<RunOptions, 'cwd' | 'env' | 'stdin'> = {}): Promise<Ended> => {
    const ended = await rowcast(wordsOf(line), { cwd, ...more, env: { ...env, ...more.env } });
    return { ...ended, stdout: ended.stdout.toString(), bytes: ended.stdout };
  };
  return {
    cwd,
    env,
    path,
    run,
    /** Starts a process, which is needed for signals and kills. */
    start: (line: Line, more: Pick<RunOptions, 'env' | 'stdin'> = {}) =>
      startRowcast(wordsOf(line), { cwd, ...more, env: { ...env, ...more.env } }),
    /** What a command prints as JSON. */
    json: async (line: Line) => JSON.parse((await run(line)).stdout),
    read: (name: string) => readFile(path(name), 'utf8'),
    bytesIn: (name: string) => readFile(path(name)),
    /** The members of a JSON file. */
    jsonIn: async (name: string) => JSON.parse(await readFile(path(name), 'utf8')),
    write: (name: string, content: string | Uint8Array) => writeFile(path(name), content),
  };
}

export type Commands = Awaited<ReturnType<typeof commandsIn>>;
