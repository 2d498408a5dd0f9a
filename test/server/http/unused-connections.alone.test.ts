import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import type { Target } from '../../support/service/client.ts';
import { recorded } from '../../support/service/recorded.ts';
import { persona, serving } from '../../support/service/serving.ts';
import { openConnection, type RawConnection } from '../../support/service/socket.ts';

const health = 'GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n';
const body = JSON.stringify({ id: 'two', ...persona });
const head = ({ key }: Target): string =>
  `POST /user/persona HTTP/1.1\r\nhost: localhost\r\nauthorization: ApiKey ${key}\r\n` +
  `content-type: application/json\r\ncontent-length: ${body.length}\r\nexpect: 100-continue\r\n\r\n`;

/** A connection on which a response has arrived. */
async function answered({ url }: Target): Promise<RawConnection> {
  const line = await openConnection(url);
  line.socket.write(health);
  await line.receives(/alive/);
  return line;
}

/** A connection with a request whose body has not been sent yet. */
async function inProgress(target: Target): Promise<RawConnection> {
  const line = await openConnection(target.url);
  line.socket.write(head(target));
  await line.receives(/100 Continue/);
  return line;
}

/** Opens connections until one of them gets a response. */
async function answeredInTheEnd(target: Target): Promise<RawConnection> {
  for (;;) {
    const line = await tryOnce(target);
    if (line !== undefined) return line;
  }
}

/** @returns undefined if the connection was closed immediately */
async function tryOnce(target: Target): Promise<RawConnection | undefined> {
  const line = await openConnection(target.url);
  line.socket.write(health);
  return line.receives(/alive/).then(
    () => line,
    () => undefined,
  );
}

/** @returns the counts of the metric, as `idle=1 stalled=0 refused=2` */
async function closings({ received, receives, socket }: RawConnection): Promise<string> {
  socket.write('GET /metrics HTTP/1.1\r\nhost: localhost\r\n\r\n');
  await receives(/rowcast_reports_loaded \d/);
  const counts = received().matchAll(/^rowcast_connections_closed_total\{reason="(\w+)"\} (\d+)/gm);
  return [...counts].map(([, reason, count]) => `${reason}=${count}`).join(' ');
}

function destroyAfter(t: TestContext, ...lines: RawConnection[]): void {
  t.after(() => {
    for (const { socket } of lines) socket.destroy();
  });
}

test('a thousand idle connections do not block a new one; the oldest are closed first', async t => {
  const { log, lines } = recorded();
  const target = await serving(t, { log, metrics: true });
  const idle: RawConnection[] = [];
  for (let i = 0; i < 1000; i++) idle.push(await openConnection(target.url));
  destroyAfter(t, ...idle);
  const next = [await answered(target), await answered(target), await answered(target)];
  destroyAfter(t, ...next);
  await Promise.all(idle.slice(0, 3).map(({ ended }) => ended));
  assert.deepEqual(
    idle.map(({ socket }) => socket.closed),
    idle.map((_, i) => i < 3),
  );
  const [asking] = next;
  assert.ok(asking);
  assert.equal(await closings(asking), 'idle=3 stalled=0 refused=0');
  const warnings = lines().filter(({ msg }) => /limit of/.test(msg));
  assert.deepEqual(
    warnings.map(({ level, msg }) => [level, msg]),
    [[40, 'the limit of 1000 connections was reached: closed 1 idle and 0 stalled, refused 0 new']],
  );
});

test('the connection idle for longest is closed, never one with a request in progress', async t => {
  const target = await serving(t, { limits: { connections: 3 } });
  const busy = await inProgress(target);
  const [used, other] = [await answered(target), await answered(target)];
  // A connection that is used again has been idle for less time.
  used.socket.write(health);
  await used.receives(/alive[\s\S]*alive/);
  const next = await answered(target);
  await other.ended;
  assert.ok(!used.socket.closed);
  busy.socket.write(body);
  await busy.receives(/"probabilities"/);
  destroyAfter(t, busy, used, next);
});

test('a new connection is refused while all others have requests in progress', async t => {
  const target = await serving(t, { metrics: true, limits: { connections: 2 } });
  const busy = [await inProgress(target), await inProgress(target)];
  for (let i = 0; i < 2; i++) assert.equal(await (await openConnection(target.url)).ended, '');
  const [first] = busy;
  first?.socket.write(body);
  await first?.receives(/"probabilities"/);
  const next = await answered(target);
  assert.equal(await closings(next), 'idle=1 stalled=0 refused=2');
  // Now, because on shutdown the service would wait for requests in progress.
  for (const { socket } of [...busy, next]) socket.destroy();
});

test('unfinished headers and rejected unfinished bodies are closed to make room too', async t => {
  const target = await serving(t, { metrics: true, limits: { connections: 2, headersMs: 60_000 } });
  const half = await openConnection(target.url);
  half.socket.write('GET /healthz HTTP/1.1\r\nx: ');
  const refused = await openConnection(target.url);
  refused.socket.write('POST /user/persona HTTP/1.1\r\nhost: localhost\r\ncontent-length: 99\r\n\r\n{');
  await refused.receives(/401/);
  const lines = [await answeredInTheEnd(target)];
  await half.ended;
  // The new one is idle by now and is closed before stalled ones.
  lines.push(await inProgress(target));
  await lines[0]?.ended;
  lines.push(await answeredInTheEnd(target));
  await refused.ended;
  assert.match(await closings(lines[2] as RawConnection), /^idle=1 stalled=2 refused=\d+$/);
  for (const { socket } of lines) socket.destroy();
});

test('a client that closes at the limit is not counted', async t => {
  const target = await serving(t, { metrics: true, limits: { connections: 1 } });
  for (let i = 0; i < 3; i++) {
    const { socket } = await answered(target);
    socket.end();
    await once(socket, 'close');
  }
  const line = await answered(target);
  destroyAfter(t, line);
  assert.equal(await closings(line), 'idle=0 stalled=0 refused=0');
});

test('unread responses to requests without a key do not block other clients', async t => {
  const now = performance.now.bind(performance);
  let later = 0;
  t.mock.method(performance, 'now', () => now() + later);
  const target = await serving(t, { metrics: true, limits: { connections: 1 } });
  const unread = await openConnection(target.url);
  destroyAfter(t, unread);
  unread.socket.write('GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(2000));
  await unread.receives(/HTTP/);
  unread.socket.pause();
  let next: RawConnection | undefined;
  while (next === undefined) {
    later += 61_000;
    next = await tryOnce(target);
  }
  assert.match(await closings(next), /^idle=0 stalled=1 refused=\d+$/);
  next.socket.destroy();
});
