import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ClientRequest } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type TestContext, test } from 'node:test';
import { addKey, revokeKey } from '../../../src/server/auth/key-store.ts';
import type { RunningServiceOptions } from '../../../src/server/service.ts';
import { get, post, problemOf, type Target } from '../../support/service/client.ts';
import { recorded } from '../../support/service/recorded.ts';
import { persona, serving, trainedHome } from '../../support/service/serving.ts';
import { headOfJson, openConnection } from '../../support/service/socket.ts';
import { openUpload, refusal, responseHead, upload, wholeResponse } from '../../support/service/upload.ts';
import { header, row, wide } from '../../support/service/uploads.ts';
import { until } from '../../support/until.ts';

let count = 0;

/** A service with two keys, and its log. */
async function twoKeys(t: TestContext, options: Partial<RunningServiceOptions> = {}) {
  const home = await trainedHome();
  const { log, text } = recorded();
  const target = await serving(t, { storedKeys: true, metrics: true, log, ...options });
  const name = `other-${count++}`;
  const other: Target = { url: target.url, key: await addKey(home, name, { reports: 'all' }) };
  t.after(() => revokeKey(home, name));
  return { target, other, text };
}

const batch = (rows: number) => ({ id: 'two', personas: new Array(rows).fill(persona) });

async function refusals(target: Target, reason: string): Promise<number> {
  const text = await (await get(target, '/metrics')).text();
  return Number(new RegExp(`^rowcast_refusals_total\\{reason="${reason}"\\} (\\d+)$`, 'm').exec(text)?.[1]);
}

/** An upload that stays open after the service has started its response. */
async function uploading(target: Target): Promise<ClientRequest> {
  const opened = openUpload(target).on('error', () => {}); // ended by the test
  opened.write(`${header}\n${`${row}\n`.repeat(5000)}`);
  const response = await responseHead(opened);
  assert.equal(response.statusCode, 200);
  response.on('error', () => {}).resume();
  return opened;
}

test('a key over its row rate gets 429 with retry-after; another key does not', async t => {
  const { target, other, text } = await twoKeys(t, { maxRowsPerSecond: 1 });
  assert.equal((await post(target, '/user/batch-persona', batch(1000))).status, 200);
  for (const [path, body] of [
    ['/user/batch-persona', batch(1)],
    ['/user/persona', { id: 'two', ...persona }],
  ] as const) {
    const refused = await post(target, path, body);
    const seconds = Number(refused.headers.get('retry-after'));
    assert.ok(seconds > 900 && seconds < 1000, `${seconds} s`);
    assert.equal(await problemOf(refused), '429 rate_limited');
  }
  assert.equal((await post(other, '/user/batch-persona', batch(1))).status, 200);
  assert.equal((await get(target, '/user/report/two')).status, 200);
  assert.equal(await refusals(target, 'row_rate'), 2);
  assert.match(text(), /rejected or aborted: requests over the row rate limit \(1\)/);
});

test('concurrent requests together do not exceed the row rate', async t => {
  const { target } = await twoKeys(t, { maxRowsPerSecond: 10 });
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => post(target, '/user/batch-persona', batch(1000))),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...new Array(7).fill(429)]);
});

test('an upload is paced where a single request is rejected, and does not count as idle', async t => {
  const { target } = await twoKeys(t, { maxRowsPerSecond: 5, limits: { idleMs: 1500 } });
  // Three seconds' worth of rows, for which the upload has to wait.
  assert.equal((await post(target, '/user/batch-persona', batch(15))).status, 200);
  const paced = upload(target, `${header}\n${`${row}\n`.repeat(5)}`);
  assert.equal(await problemOf(await post(target, '/user/batch-persona', batch(1))), '429 rate_limited');
  assert.equal((await paced).trailers['x-rowcast-accounts'], 'read=5, scored=5, rejected=0');
});

test('the uploads of a key may hold half of the slots; the others are left to other keys', async t => {
  const { target, other } = await twoKeys(t, { limits: { uploads: 4 } });
  const held = [await uploading(target), await uploading(target)];
  const refused = await upload(target, header);
  assert.equal(refusal(refused), '503 busy');
  assert.match(String(refused.body), /This key has 2 of the 4 concurrent uploads/);
  assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
  held.push(await uploading(other));
  // One slot is left, for a key that has none.
  assert.equal(refusal(await upload(other, header)), '503 busy');
  assert.equal(await refusals(target, 'uploads'), 2);
  for (const each of held) each.destroy();
  await until(async () => (await upload(target, `${header}\n${row}\n`)).status === 200);
});

test('unfinished requests of a key are limited to half of all requests in progress', async t => {
  const { target, other } = await twoKeys(t, { limits: { connections: 8 } });
  const lines = await Promise.all([1, 2, 3, 4].map(() => openConnection(target.url)));
  for (const { socket, receives } of lines) {
    socket.write(headOfJson('/user/persona', target, 99));
    await receives(/100 Continue/);
  }
  const refused = await get(target, '/user/report/two');
  assert.match(await refused.clone().text(), /This key has 4 of the 8 concurrent requests/);
  assert.equal(await problemOf(refused), '503 busy');
  assert.equal((await get(other, '/user/report/two')).status, 200);
  for (const { socket } of lines) socket.resetAndDestroy();
  await until(async () => (await get(target, '/user/report/two')).status === 200);
});

test('an upload that trickles in ends with 408 and frees its slot', async t => {
  const limits = { uploads: 2, uploadRateMs: 400, drainMs: 200 };
  const { target } = await twoKeys(t, { limits });
  const slow = openUpload(target);
  const drip = setInterval(() => slow.write('x'), 20);
  t.after(() => clearInterval(drip));
  const answer = await wholeResponse(slow);
  assert.equal(refusal(answer), '408 request_timeout');
  assert.match(String(answer.body), /slower than 1024 bytes per second over 0\.4 s/);
  assert.equal(await refusals(target, 'slow_upload'), 1);
  await until(async () => (await upload(target, `${header}\n${row}\n`)).status === 200);
});

test('a form that trickles in ends the same way, before its file and within it', async t => {
  const { target } = await twoKeys(t, { limits: { uploadRateMs: 400, drainMs: 200 } });
  for (const beginning of [
    '--b\r\nContent-Disposition: form-data; name="i',
    '--b\r\nContent-Disposition: form-data; name="id"\r\n\r\ntwo\r\n--b\r\nContent-Disposition: form-data; ' +
      `name="file"; filename="f"\r\n\r\n${header}\n`,
  ]) {
    const slow = openUpload(target, {
      query: '',
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
    });
    slow.write(beginning);
    assert.equal(refusal(await wholeResponse(slow)), '408 request_timeout');
    slow.destroy();
  }
});

test('an upload that stalls after its response has begun is aborted', async t => {
  const { target, text } = await twoKeys(t, { limits: { uploads: 2, uploadRateMs: 400 } });
  const slow = await uploading(target);
  await once(slow, 'close');
  await until(() => /response aborted: The upload was slower/.test(text()));
  await until(async () => (await upload(target, `${header}\n${row}\n`)).status === 200);
});

test('an upload that the service does not read is not slow', async t => {
  const limits = { uploadRateMs: 400, spillBytes: 1 << 20, spillMs: 20 };
  const { target, text } = await twoKeys(t, { limits });
  const opened = openUpload(target);
  const sent = pipeline(Readable.from(wide.rows(30_000)), opened);
  const response = await responseHead(opened);
  await until(() => /the client is not reading/.test(text()));
  // Far longer than the window over which the rate is measured.
  await new Promise(done => setTimeout(done, 1000));
  let bytes = 0;
  for await (const chunk of response) bytes += chunk.length;
  await sent;
  assert.ok(response.complete);
  assert.ok(bytes > 30_000_000);
});

test('responses buffered on disk share a limit, which the log names', async t => {
  const limits = { maxSpillBytes: 4 << 20, spillMs: 20 };
  const { target, other, text } = await twoKeys(t, { limits });
  const opened = openUpload(target)
    .on('error', () => {})
    .on('response', () => {});
  await assert.rejects(pipeline(Readable.from(wide.rows(100_000)), opened));
  await until(() => /aborted: .*take up 2 MiB of the 4 MiB of --max-spill-bytes/.test(text()));
  assert.equal(await refusals(target, 'spill'), 1);
  // Its space is free again; a client that reads needs none.
  const { trailers } = await upload(other, wide.rows(3000));
  assert.equal(trailers['x-rowcast-accounts'], 'read=3000, scored=3000, rejected=0');
});
