import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { newFolder } from './folder.ts';
import { exits, type RunOptions, rowcast } from './rowcast.ts';

/** The names of the files of the package that a command loads; it must exit with 0. */
export const loadedFiles = async (
  t: TestContext,
  args: readonly string[],
  options: RunOptions = {},
): Promise<string[]> => (await loadedPaths(t, args, options)).map(path => basename(path)).sort();

/** The paths of the files that a command loads; it must exit with 0. */
export async function loadedPaths(
  t: TestContext,
  args: readonly string[],
  { env, ...options }: RunOptions = {},
): Promise<string[]> {
  const folder = await newFolder(t);
  await exits(rowcast(args, { ...options, env: { ...env, NODE_V8_COVERAGE: folder } }), 0);
  const [file = ''] = await readdir(folder);
  const { result }: { result: { url: string }[] } = JSON.parse(await readFile(join(folder, file), 'utf8'));
  return result.filter(({ url }) => url.startsWith('file:')).map(({ url }) => fileURLToPath(url));
}
