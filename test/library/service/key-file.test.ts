import assert from 'node:assert/strict';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { ApiKeyFile } from '../../../src/library/service/key-file.ts';
import { makeFifo } from '../../support/fifo.ts';
import { newFolder } from '../../support/folder.ts';

const never = { lookMs: Number.POSITIVE_INFINITY, pauseMs: 1 };
const always = { lookMs: 0 };

async function opened(
  t: TestContext,
  text: string,
  times: { lookMs: number },
): Promise<{ path: string; file: ApiKeyFile }> {
  const path = join(await newFolder(t), 'key');
  await writeFile(path, text);
  const file = await ApiKeyFile.open(path, times);
  assert.ok(file !== undefined);
  return { path, file };
}

/** Waits until another key is used. */
async function until(file: ApiKeyFile, key: string): Promise<void> {
  while (file.current() !== key) await setImmediate();
}

describe('a key file', () => {
  it('is read again when it has changed, also if it is replaced', async t => {
    const { path, file } = await opened(t, 'first\n', always);
    assert.equal(file.current(), 'first');
    await writeFile(path, 'second\n');
    await until(file, 'second');
    await writeFile(`${path}.new`, 'third\n');
    await rename(`${path}.new`, path);
    await until(file, 'third');
  });

  it('is not read again for each request', async t => {
    const { path, file } = await opened(t, 'first', never);
    await writeFile(path, 'second');
    for (let n = 0; n < 100; n++) {
      assert.equal(file.current(), 'first');
      await setImmediate();
    }
  });

  it('is read again when the service refuses its key, once for all requests', async t => {
    const { path, file } = await opened(t, 'first', never);
    assert.equal(await file.isReplaced('first'), false);
    await writeFile(path, 'second');
    assert.deepEqual(await Promise.all(['first', 'first', 'first'].map(key => file.isReplaced(key))), [
      true,
      true,
      true,
    ]);
    assert.equal(file.current(), 'second');
    // A late refusal of a key that is no longer used.
    await rm(path);
    assert.equal(await file.isReplaced('first'), true);
  });

  it('that is missing or half written keeps the key in use', async t => {
    const { path, file } = await opened(t, 'first', never);
    for (const text of ['', 'two words']) {
      await writeFile(path, text);
      assert.equal(await file.isReplaced('first'), false);
    }
    await rm(path);
    assert.equal(await file.isReplaced('first'), false);
    assert.equal(file.current(), 'first');
    await writeFile(path, 'second');
    assert.equal(await file.isReplaced('first'), true);
  });

  it('that is being written is waited for', async t => {
    const { path, file } = await opened(t, 'first', { lookMs: never.lookMs });
    await writeFile(path, '');
    const isReplaced = file.isReplaced('first');
    await writeFile(path, 'second');
    assert.equal(await isReplaced, true);
  });

  it('that is a pipe is read once', { skip: process.platform === 'win32' }, async t => {
    const path = await makeFifo(join(await newFolder(t), 'key'));
    const [file] = await Promise.all([ApiKeyFile.open(path, always), writeFile(path, 'piped\n')]);
    assert.equal(file?.current(), 'piped');
    assert.equal(await file.isReplaced('piped'), false);
  });

  it('without a key in it has none', async t => {
    const path = join(await newFolder(t), 'key');
    await writeFile(path, '\n');
    assert.equal(await ApiKeyFile.open(path), undefined);
    await assert.rejects(ApiKeyFile.open(`${path}.none`), { code: 'ENOENT' });
  });
});
