import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import { addKey, revokeKey } from '../../../src/server/auth/key-store.ts';
import { defaultLimits } from '../../../src/server/service-limits.ts';
import { get } from '../../support/service/client.ts';
import { ownTrainedHome, serving } from '../../support/service/serving.ts';
import { headOfJson, openConnection } from '../../support/service/socket.ts';
import { openUpload, responseHead, wholeResponse } from '../../support/service/upload.ts';

const HEADER = 'id,monthly amount,plan,__proto__\n';
const ROWS = 'a,1.5,Basic,2\n'.repeat(3_000);
/** Longer than any test. */
const NEVER_MS = 3_600_000;

/** A service with a stored key, whose long requests look it up again every `recheckMs`. */
async function withKey(t: TestContext, { recheckMs, expires }: { recheckMs: number; expires?: Date }) {
  const home = await ownTrainedHome(t);
  const key = await addKey(home, 'long', { reports: 'all', expires });
  const { url } = await serving(t, { home, storedKeys: true, limits: { ...defaultLimits, recheckMs } });
  return { url, key, revoke: () => revokeKey(home, 'long') };
}

/** An upload of which rows have come back, and which goes on. */
async function openedUpload(target: { url: string; key: string }) {
  const upload = openUpload(target);
  upload.on('error', () => {});
  upload.write(HEADER + ROWS);
  const response = await responseHead(upload);
  assert.equal(response.statusCode, 200);
  response.on('error', () => {}); // it may be aborted at once
  await once(response, 'data');
  response.pause();
  return { upload, response };
}

/** Reads a response to its end. @returns whether it is whole */
async function isWhole(response: IncomingMessage): Promise<boolean> {
  response.resume();
  if (!response.closed) await new Promise(resolve => response.once('close', resolve));
  return response.complete;
}

/** Sends more rows until the service no longer takes them. */
function sendOn(upload: ClientRequest): void {
  const timer = setInterval(() => {
    if (upload.destroyed) clearInterval(timer);
    else upload.write(ROWS);
  }, 50);
}

describe('an upload', () => {
  it('that is open ends at its next batch when its key is revoked', async t => {
    const { revoke, ...target } = await withKey(t, { recheckMs: NEVER_MS });
    const { upload, response } = await openedUpload(target);
    await revoke();
    sendOn(upload);
    assert.equal(await isWhole(response), false);
  });

  it('that is open ends when its key expires', async t => {
    const now = Date.now;
    let later = 0;
    t.mock.method(Date, 'now', () => now() + later);
    const target = await withKey(t, { recheckMs: NEVER_MS, expires: new Date(Date.now() + 3_600_000) });
    const { upload, response } = await openedUpload(target);
    later = 3_600_000;
    sendOn(upload);
    assert.equal(await isWhole(response), false);
    assert.equal((await get(target, '/user/report/one')).status, 401);
  });

  it('whose key is revoked before the first row gets a problem', async t => {
    const { revoke, ...target } = await withKey(t, { recheckMs: NEVER_MS });
    const upload = openUpload(target);
    const response = wholeResponse(upload);
    upload.write(HEADER);
    // Another request shows that the service has the first one.
    assert.equal((await get(target, '/user/report/one')).status, 200);
    await revoke();
    upload.end(ROWS);
    const { status, body, headers } = await response;
    assert.equal(status, 401);
    assert.match(body.toString(), /revoked or has expired during the request/);
    assert.equal(headers.get('www-authenticate'), 'ApiKey');
  });

  it('is aborted when its key is revoked, although neither side sends anything more', async t => {
    const { revoke, ...target } = await withKey(t, { recheckMs: 20 });
    const { response } = await openedUpload(target);
    await revoke();
    assert.equal(await isWhole(response), false);
  });
});

describe('a batch of personas', () => {
  it('is not scored if its key was revoked while its body arrived', async t => {
    const { revoke, url, key } = await withKey(t, { recheckMs: 1 });
    const body = JSON.stringify({ id: 'one', personas: [{ features: { plan: 'Basic' } }] });
    const line = await openConnection(url);
    line.socket.write(headOfJson('/user/batch-persona', { key }, body.length));
    await line.receives(/^HTTP\/1\.1 100 /);
    // Keys are looked up in the order of the requests, so the first one was accepted too.
    assert.equal((await get({ url, key }, '/user/report/one')).status, 200);
    await revoke();
    line.socket.write(body);
    await line.receives(/HTTP\/1\.1 401 [\s\S]*revoked or has expired during the request/);
    line.socket.destroy();
  });
});
