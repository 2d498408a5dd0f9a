import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { newFolder } from '../folder.ts';
import { rowcast } from '../in-process.ts';
import { type StubOptions, startStub } from '../stub/service.ts';

/** A CSV whose rows differ from those of another one. */
export const csv = (rows: number, from = 0): string =>
  `id,amount\n${Array.from({ length: rows }, (_, row) => `r${row},${from + row}\n`).join('')}`;

/** A folder `in` with files, and a stub; `score` runs a command there. */
export async function filesWith(
  t: TestContext,
  files: Record<string, string | Buffer>,
  options: StubOptions = {},
) {
  const stub = await startStub(t, {
    report: { columns: [{ name: 'id' }, { name: 'amount' }], classes: ['no', 'yes'] },
    ...options,
  });
  const cwd = await newFolder(t, files);
  const { env } = stub;
  const score = (...args: string[]) => rowcast(['score', ...args, '--report', 'r'], { cwd, env });
  const summary = async () => JSON.parse(await readFile(join(cwd, 's.json'), 'utf8'));
  return { stub, cwd, score, summary, read: (name: string) => readFile(join(cwd, name), 'utf8') };
}

/** The arguments of a command that scores them all. */
export const all = ['in/**/*.csv*', '-o', 'out/{name}.csv', '--summary', 's.json'];
