import assert from 'node:assert/strict';
import { type FileHandle, open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { Client, score } from '../../../src/index.ts';
import { newFolder } from '../../support/folder.ts';
import { startStub } from '../../support/stub/service.ts';

const ids = Array.from({ length: 20_000 }, (_, id) => id);
const csv = (rows: readonly number[]): string =>
  `id,plan\n${rows.map(id => `${id},plan of ${id}`).join('\n')}\n`;

/** Calls with the size of each piece of a file that this process reads. */
async function onRead(t: TestContext, path: string, call: (bytes: number) => void): Promise<void> {
  const handle = await open(path);
  const prototype: Pick<FileHandle, 'read'> = Object.getPrototypeOf(handle);
  await handle.close();
  const { ino } = await stat(path);
  const read = prototype.read as (this: FileHandle, ...given: unknown[]) => Promise<{ bytesRead: number }>;
  t.mock.method(prototype, 'read', async function (this: FileHandle, ...given: unknown[]) {
    const result = await read.apply(this, given);
    if ((await this.stat()).ino === ino) call(result.bytesRead);
    return result;
  });
}

it('a run that is stopped while it reads an earlier output reads no more of it, and is resumed', async t => {
  const folder = await newFolder(t, { 'old-in.csv': csv(ids), 'in.csv': csv(ids.toReversed()) });
  const at = (name: string): string => join(folder, name);
  const stub = await startStub(t, { report: { classes: ['no', 'yes'], model_sha256: 'a'.repeat(64) } });
  const scorer = new Client({ url: stub.url, key: stub.key });
  t.after(() => scorer.close());
  const run = { report: 'r', scorer, features: ['plan'] };
  await score({ ...run, input: at('old-in.csv'), output: at('old.csv'), reuse: at('none') });
  const stop = new AbortController();
  let bytes = 0;
  await onRead(t, at('old.csv'), size => {
    bytes += size;
    stop.abort();
  });
  const again = { ...run, input: at('in.csv'), output: at('out.csv'), reuse: at('old.csv') };
  await assert.rejects(score({ ...again, signal: stop.signal }), { message: 'stopped by its signal' });
  const { size } = await stat(at('old.csv'));
  assert.ok(bytes < size, `${bytes} of ${size} bytes were read`);
  stub.bodies.length = 0;
  await score(again);
  assert.equal(stub.bodies.length, 0);
  const [header, ...rows] = (await readFile(at('old.csv'), 'utf8')).trimEnd().split('\n');
  assert.equal(await readFile(at('out.csv'), 'utf8'), `${[header, ...rows.toReversed()].join('\n')}\n`);
});
