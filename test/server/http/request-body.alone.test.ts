import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { classesResponse } from '../../../src/base/contract/schemas.ts';
import { addKey } from '../../../src/server/auth/key-store.ts';
import { get, post, problemOf } from '../../support/service/client.ts';
import { ownTrainedHome, persona, serving } from '../../support/service/serving.ts';
import { headOf, headOfJson, openConnection, type RawConnection } from '../../support/service/socket.ts';

const body = JSON.stringify({ id: 'two', ...persona });
const gzip = { 'content-encoding': 'gzip' };
const json = (length: number): string[] => ['content-type: application/json', `content-length: ${length}`];

/** Sends bytes, and waits until they are with the service. */
const sent = ({ socket }: RawConnection, bytes: Buffer): Promise<void> =>
  new Promise((resolve, reject) => socket.write(bytes, lost => (lost ? reject(lost) : resolve())));

test('a gzip body of one or more members gets the same response as a plain one', async t => {
  const target = await serving(t);
  const plain = await (await post(target, '/user/persona', body)).text();
  for (const packed of [
    gzipSync(body),
    Buffer.concat([gzipSync(body.slice(0, 9)), gzipSync(body.slice(9))]),
    Buffer.concat([gzipSync(body.slice(0, 9)), Buffer.alloc(9), gzipSync(body.slice(9)), Buffer.alloc(9)]),
  ]) {
    const response = await post(target, '/user/persona', packed, gzip);
    assert.equal(await response.text(), plain);
  }
  const upper = await post(target, '/user/persona', gzipSync(body), { 'content-encoding': 'X-GZip' });
  assert.equal(upper.status, 200);
});

test('a body that is not gzip despite its header is malformed', async t => {
  const target = await serving(t);
  const garbage = Buffer.concat([gzipSync(body), Buffer.from('\0garbage')]);
  for (const packed of [Buffer.from(body), gzipSync(body).subarray(0, -9), Buffer.alloc(0), garbage])
    assert.equal(await problemOf(await post(target, '/user/persona', packed, gzip)), '400 malformed');
});

test('another content coding is rejected', async t => {
  const target = await serving(t);
  for (const encoding of ['br', 'deflate', 'gzip, gzip']) {
    const response = await post(target, '/user/persona', body, { 'content-encoding': encoding });
    assert.equal(await problemOf(response), '415 unsupported_encoding');
  }
});

test('the limit applies to the decompressed size, to the byte', async t => {
  const target = await serving(t, { limits: { bodyBytes: 1000 } });
  const most = body.padEnd(1000);
  assert.equal((await post(target, '/user/persona', gzipSync(most), gzip)).status, 200);
  assert.equal(
    await problemOf(await post(target, '/user/persona', gzipSync(`${most} `), gzip)),
    '413 too_large',
  );
  assert.equal((await post(target, '/user/persona', most)).status, 200);
  const plain = await post(target, '/user/persona', `${most} `);
  assert.match(await plain.clone().text(), /limit of 1,000 bytes/);
  assert.equal(await problemOf(plain), '413 too_large');
});

test('a gzip bomb is rejected before it is decompressed completely', async t => {
  const target = await serving(t);
  // A gigabyte, compressed to a megabyte.
  const bomb = Buffer.concat(new Array(32).fill(gzipSync(Buffer.alloc(32 << 20, ' '))));
  const before = process.memoryUsage().rss;
  assert.equal(await problemOf(await post(target, '/user/persona', bomb, gzip)), '413 too_large');
  const grown = process.memoryUsage().rss - before;
  assert.ok(grown < 256 << 20, `${grown} bytes more`);
});

test('a body that arrives byte by byte gets 408; one that arrives in time does not', async t => {
  const { url, key } = await serving(t, { limits: { bodyMs: 300 } });
  const head = headOf('POST /user/persona', { key }, ...json(body.length));
  const slow = await openConnection(url);
  slow.socket.write(head);
  const drip = setInterval(() => slow.socket.write(' '), 20);
  const text = await slow.ended;
  clearInterval(drip);
  assert.match(text, /^HTTP\/1\.1 408 Request Timeout\r\n[\s\S]*"code":"request_timeout"/);
  assert.match(text, /connection: close/i);
  const quick = await openConnection(url);
  quick.socket.write(head + body.slice(0, 5));
  quick.socket.write(body.slice(5));
  await quick.receives(/"probabilities"/);
  quick.socket.destroy();
});

test('the bodies of a key may take half of the memory, which leaves room for other keys, until its requests end', {
  timeout: 60_000,
}, async t => {
  const home = await ownTrainedHome(t);
  const target = await serving(t, { home, storedKeys: true, limits: { memoryBytes: 6 * body.length } });
  const other = { ...target, key: await addKey(home, 'other', { reports: 'all' }) };
  const held = await openConnection(target.url);
  const length = 3 * body.length;
  held.socket.write(headOfJson('/user/persona', target, length));
  await held.receives(/100 Continue/);
  held.socket.write(body.padEnd(length - 1));
  const ask = () => post(target, '/user/persona', body);
  // The held body arrives with a delay.
  let answer = await ask();
  while (answer.status === 200) answer = await ask();
  assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/);
  assert.equal(await problemOf(answer), '503 busy');
  assert.equal((await post(other, '/user/persona', body)).status, 200);
  held.socket.write(' ');
  await held.receives(/"probabilities"/);
  held.socket.destroy();
  for (let i = 0; i < 10; i++) assert.equal((await ask()).status, 200);
  // A gzip body takes up its decompressed size.
  const packed = gzipSync(body.padEnd(2 * length + 1));
  assert.ok(packed.length < length);
  assert.equal(await problemOf(await post(target, '/user/persona', packed, gzip)), '503 busy');
});

test('a client that disconnects within its body leaves nothing behind', async t => {
  const target = await serving(t, { metrics: true });
  const gone = await openConnection(target.url);
  gone.socket.write(headOfJson('/user/persona', target, 99));
  await gone.receives(/100 Continue/);
  gone.socket.resetAndDestroy();
  await once(gone.socket, 'close');
  const metrics = async () => (await get(target, '/metrics')).text();
  // The reset reaches the service with a delay.
  while (!(await metrics()).includes('route="/user/persona",status="gone"} 1'));
  // The scrape itself is the one request.
  assert.match(await metrics(), /^rowcast_http_requests_in_flight 1$/m);
});

const early = (length: number): string => headOf('POST /user/persona', {}, ...json(length));

test('a rejection reaches a client that sends a whole large body before it reads', async t => {
  const { url, key } = await serving(t, { limits: { bodyBytes: 1 << 20 } });
  const large = Buffer.alloc(16 << 20, ' ');
  const chunked = Buffer.concat([
    Buffer.from(`${large.length.toString(16)}\r\n`),
    large,
    Buffer.from('\r\n0\r\n\r\n'),
  ]);
  const own = `authorization: ApiKey ${key}\r\nhost:`;
  for (const [status, head, body] of [
    [401, early(large.length), large],
    [413, early(large.length).replace('host:', own), large],
    [413, early(0).replace('host:', own).replace('content-length: 0', 'transfer-encoding: chunked'), chunked],
  ] as const) {
    const line = await openConnection(url);
    line.socket.pause();
    line.socket.write(head);
    await sent(line, body);
    // The connection stays usable.
    line.socket.write(headOf('GET /healthz'));
    line.socket.resume();
    await line.receives(/alive/);
    assert.match(line.received(), new RegExp(`^HTTP/1.1 ${status} `));
    line.socket.destroy();
  }
});

test('a rejection also reaches such a client if it asked to close the connection', async t => {
  const { url } = await serving(t);
  const large = Buffer.alloc(16 << 20, ' ');
  for (const version of ['1.1', '1.0']) {
    const line = await openConnection(url);
    line.socket.pause();
    line.socket.write(
      early(large.length)
        .replace('HTTP/1.1', `HTTP/${version}`)
        .replace('host:', 'connection: close\r\nhost:'),
    );
    await sent(line, large);
    line.socket.resume();
    assert.match(await line.ended, /^HTTP\/1\.1 401 /);
  }
});

test('the service does not wait indefinitely for the rest of a rejected body', async t => {
  const { url, key } = await serving(t, { limits: { drainMs: 200 } });
  const get = (path: string) => headOf(`GET ${path}`, { key }, 'content-length: 99999');
  for (const [head, status] of [
    [early(99_999), 401],
    [get('/healthz'), 200],
    [get('/nowhere'), 404],
    [get('/user/report/%zz'), 400],
  ] as const) {
    const line = await openConnection(url);
    line.socket.write(head);
    const drip = setInterval(() => line.socket.write(' '), 20);
    const text = await line.ended;
    clearInterval(drip);
    assert.match(text, new RegExp(`^HTTP/1.1 ${status} `));
  }
});

test('a rejected request without a body keeps its connection open', async t => {
  const { url, key } = await serving(t);
  const line = await openConnection(url);
  line.socket.write(headOf('GET /user/report/two'));
  await line.receives(/"unauthorized"/);
  assert.doesNotMatch(line.received(), /connection: close/i);
  line.socket.write(headOf('GET /user/report/two', { key }));
  await line.receives(/HTTP\/1\.1 200 OK/);
  line.socket.destroy();
});

test('JSON is UTF-8, with an optional BOM', async t => {
  const target = await serving(t);
  assert.equal((await post(target, '/user/persona', `\ufeff${body}`)).status, 200);
  const latin1 = Buffer.from(body.replace('Basic', 'B\xe4sic'), 'latin1');
  assert.equal(await problemOf(await post(target, '/user/persona', latin1)), '400 malformed');
});

test('of ten thousand columns, those of the report are used', async t => {
  const target = await serving(t);
  const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`column ${i}`, i]));
  const ask = async (features: object) =>
    classesResponse.parse(await (await post(target, '/user/persona', { id: 'two', features })).json());
  assert.deepEqual(await ask({ ...wide, ...persona.features }), await ask(persona.features));
  assert.equal(
    await problemOf(await post(target, '/user/persona', { id: 'two', features: wide })),
    '422 unknown_columns',
  );
});
