import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** An empty folder that is deleted when the test ends. Retried, because a service that closes may still write to it. */
export async function newFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rowcast-test-'));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
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
