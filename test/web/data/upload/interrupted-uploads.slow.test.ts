import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { addKey } from '../../../../src/server/auth/key-store.ts';
import { sizeOfFolder } from '../../../../src/web/quota.ts';
import { serve } from '../../../cli/commands/serving.ts';
import { newFolder } from '../../../support/folder.ts';
import { openConnection } from '../../../support/service/socket.ts';
import { until } from '../../../support/until.ts';
import {
  browserAt,
  cookiesOf,
  ownedPlatform,
  type SignedIn,
  servingPlatform,
  signIn,
  signInWithKey,
  submitKey,
} from '../../../support/web/platform.ts';
import { problemOf, sendFile, upload } from '../../../support/web/uploads.ts';

const text = `a,b\n${'1,2\n'.repeat(1000)}`;

/** Starts an upload of so many bytes and sends the beginning. */
async function begin(url: string, { cookie, csrfToken }: SignedIn, bytes: number, beginning = text) {
  const connection = await openConnection(url);
  connection.socket.write(
    `POST /platform/data HTTP/1.1\r\nHost: ${new URL(url).host}\r\nCookie: ${cookie}\r\n` +
      `X-CSRF-Token: ${csrfToken}\r\nX-File-Name: a.csv\r\nContent-Length: ${bytes}\r\n\r\n${beginning}`,
  );
  return connection;
}

const names = (home: string): Promise<string[]> => readdir(join(home, 'data')).catch(() => []);

/** The bytes that the first page says to be used, to three digits. */
async function used(browser: SignedIn): Promise<number> {
  const [, kib] = />([\d.]+) KiB of [\d.]+ \w+ used/.exec(await browser.page('/')) ?? [];
  return Number(kib) * 1024;
}

describe('an interrupted upload', () => {
  it('leaves nothing if its connection is cut', async t => {
    const { browser, ...target } = await ownedPlatform(t);
    const connection = await begin(target.url, browser, 1_000_000);
    await until(async () => (await names(target.home)).length === 1, 'the upload begins');
    assert.deepEqual(await names(target.home), [
      (await names(target.home)).find(name => name.startsWith('.+upload.')),
    ]);
    // Other data, so that the page shows the quota.
    const other = await upload(browser, text, 'other.csv');
    const own = await sizeOfFolder(join(target.home, 'data', other.id));
    const meanwhile = await used(browser);
    assert.ok(meanwhile > own - 100 && meanwhile < own + 100_000, 'not all of it is reserved');
    assert.doesNotMatch(await browser.page('/'), /a\.csv/);
    connection.socket.destroy();
    await until(async () => (await names(target.home)).join() === other.id, 'the upload is removed');
    await until(async () => Math.abs((await used(browser)) - own) < 100, 'its space is released');
  });

  it('is refused with its first error, before it is sent whole', async t => {
    const target = await servingPlatform(t);
    const connection = await begin(
      target.url,
      await signIn(target),
      1e9,
      `${text}1,2,3\n${text.repeat(300)}`,
    );
    await connection.receives(/"detail":"a\.csv, line 1002: the record has 3 fields, the header 2\."/);
    await until(async () => (await names(target.home)).length === 0, 'the upload is removed');
    connection.socket.destroy();
  });

  it('is refused before it is sent, if it does not fit', async t => {
    const { browser } = await ownedPlatform(t, { dataBytes: 9_000 });
    const problem = await problemOf(await sendFile(browser, 'x'.repeat(9_001)));
    assert.deepEqual([problem.status, problem.code], [507, 'quota_exceeded']);
    assert.match(problem.detail, /8\.79 KiB of 8\.79 KiB are free/);
    await upload(browser, text);
    assert.equal((await sendFile(browser, text)).status, 507, 'the profile counts too');
  });

  it('waits for the memory that others of its key have, but not for those of another key', async t => {
    const target = await servingPlatform(t);
    const [one, other] = [await signInWithKey(target, 'one'), await signInWithKey(target, 'other')];
    const open = [await begin(target.url, one, 1e6), await begin(target.url, one, 1e6)];
    await until(async () => (await names(target.home)).length === 2, 'the uploads begin');
    const waiting = upload(one, text);
    await upload(other, text);
    assert.equal((await names(target.home)).length, 3);
    for (const { socket } of open) socket.destroy();
    await waiting;
    await until(async () => (await names(target.home)).length === 2, 'the uploads are removed');
  });

  it('is removed after a kill of the service, and never taken for data', async t => {
    const home = await newFolder(t);
    const key = await addKey(home, 'user', { reports: 'all', scopes: ['platform'] });
    const signedIn = async (url: string): Promise<SignedIn> =>
      browserAt(url, cookiesOf(await submitKey(url, key)));
    const first = await serve(t, { ROWCAST_HOME: home });
    const browser = await signedIn(first.url);
    const whole = await upload(browser, text, 'whole.csv');
    await begin(first.url, browser, 1_000_000);
    // Before it has a file for its process, another one cannot tell that it has ended.
    await until(async () => {
      const upload = (await names(home)).find(name => name.startsWith('.+upload.'));
      return upload !== undefined && (await readdir(join(home, 'data', upload))).length === 2;
    }, 'the upload begins');
    first.child.kill('SIGKILL');
    await once(first.child, 'close');
    assert.equal((await names(home)).length, 2);
    const second = await serve(t, { ROWCAST_HOME: home });
    await second.says(/removed 1 unfinished upload of an earlier process/);
    assert.deepEqual(await names(home), [whole.id]);
    const page = await (await signedIn(second.url)).page('/');
    assert.match(page, /whole\.csv/);
    assert.doesNotMatch(page, /<bdi>a\.csv/);
    await second.end();
  });
});
