import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { newFolder } from '../folder.ts';
import { rowcast } from '../in-process.ts';
import { startStub } from '../stub/service.ts';

/** Runs commands in a folder with an input. */
export async function inputBench(t: TestContext, input: Buffer | string, name = 'in.csv') {
  const { env } = await startStub(t);
  const cwd = await newFolder(t);
  await writeFile(join(cwd, name), input);
  const run = async (...args: string[]) => rowcast(args, { cwd, env });
  const output = name.replace('in.', 'out.');
  const score = (...args: string[]) => run('score', name, '--report', 'r', '-o', output, ...args);
  const verify = (...args: string[]) => run('verify', name, output, ...args);
  return { run, score, verify, read: (file: string) => readFile(join(cwd, file), 'utf8'), cwd, env, output };
}
