import assert from 'node:assert/strict';
import type { Backend } from '../../../src/storage/backend.ts';
import { backendsFor } from '../../../src/storage/backends.ts';

/** The backend of a URL, with the environment of this process. */
export function backendOf(url: string): Backend {
  const backend = backendsFor({ maxOutage: 5 }).get(url.slice(0, url.indexOf(':')));
  assert.ok(backend);
  return backend;
}

export async function putObject(url: string, bytes: Buffer): Promise<void> {
  const sink = await (await backendOf(url).resolveTarget(url, false)).open();
  await sink.write(bytes);
  await sink.close();
}

export async function getObject(url: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of (await backendOf(url).openInput(url)).stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** The names of the objects below a URL, in order. */
export async function namesIn(url: string): Promise<string[]> {
  const names = await backendOf(url).namesMatching(`${url}/**`);
  return names.map(name => name.slice(url.length + 1));
}
