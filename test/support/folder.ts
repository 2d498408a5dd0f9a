import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Scope } from './shared.ts';

/**
 * A folder with these files, by their paths in it, that is deleted when the test ends. Retried, because a service that
 * closes may still write to it.
 */
export async function newFolder(
  t: Scope,
  files: Readonly<Record<string, string | Uint8Array>> = {},
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rowcast-test-'));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}

const shared: string[] = [];
process.on('exit', () => {
  for (const folder of shared) rmSync(folder, { recursive: true, force: true });
});

/** An empty folder that is deleted when the process exits, for data that tests share. */
export async function sharedFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rowcast-test-'));
  shared.push(folder);
  return folder;
}
