import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { newFolder } from '../folder.ts';
import { rowcast } from '../rowcast.ts';
import { trainedHome } from '../service/serving.ts';
import { hardCsv } from './hard-csv.ts';

const text = hardCsv(1_200_000);

/** The command that plans the two shards of in.csv. */
export const plan = [
  ...['plan', 'in.csv', '--allow-missing', '--report', 'one'],
  ...['-o', 'out.csv', '--shard-bytes', '1MiB'],
];

/** A folder with an input of two shards, and commands that run in it. */
export async function commandFolder(t: TestContext) {
  const cwd = await newFolder(t, { 'in.csv': text });
  const env = { ROWCAST_HOME: await trainedHome() };
  const run = async (code: number, ...args: string[]) => {
    const ended = await rowcast(args, { cwd, env });
    assert.equal(ended.code, code, ended.stderr);
    return { stderr: ended.stderr, stdout: ended.stdout.toString() };
  };
  return { cwd, run, read: (name: string) => readFile(join(cwd, name), 'utf8') };
}
