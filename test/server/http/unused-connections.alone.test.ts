import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import type { Target } from '../../support/service/client.ts';
import { recorded } from '../../support/service/recorded.ts';
import { persona, serving } from '../../support/service/serving.ts';
import { headOf, headOfJson, openConnection, type RawConnection } from '../../support/service/socket.ts';
import { unreadResponses } from '../../support/service/unread-responses.ts';

const health = headOf('GET /healthz');
const body = JSON.stringify({ id: 'two', ...persona });

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
  line.socket.write(headOfJson('/user/persona', target, body.length));
  await line.receives(/100 Continue/);
  return line;
}

/** Opens connections until one of them gets a response, and is not closed at once. */
async function answeredInTheEnd(target: Target): Promise<RawConnection> {
  for (;;) {
    const line = await answered(target).catch(() => undefined);
    if (line !== undefined) return line;
  }
}

/** @returns the counts of the metric that are not 0, as `idle=1 refused=2` */
async function closings({ received, receives, socket }: RawConnection): Promise<string> {
  socket.write(headOf('GET /metrics'));
  await receives(/rowcast_reports_loaded \d/);
  const counts = received().matchAll(/^rowcast_connections_closed_total\{reason="(\w+)"\} (\d+)/gm);
  return [...counts]
    .filter(([, , count]) => count !== '0')
    .map(([, reason, count]) => `${reason}=${count}`)
    .join(' ');
}

function destroyAfter(t: TestContext, ...lines: RawConnection[]): void {
  t.after(() => {
    for (const { socket } of lines) socket.destroy();
  });
}

test('idle connections at the limit do not block a new one; the oldest are closed first', async t => {
  const { log, lines } = recorded();
  const limits = { connections: 100, headersMs: 60_000 };
  const target = await serving(t, { log, metrics: true, limits });
  const idle: RawConnection[] = [];
  for (let i = 0; i < 100; i++) idle.push(await openConnection(target.url));
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
  assert.equal(await closings(asking), 'idle=3');
  const warnings = lines().filter(({ msg }) => /limits/.test(msg));
  assert.deepEqual(
    warnings.map(({ level, msg }) => [level, msg]),
    [[40, 'closed connections at their limits: without a request (1)']],
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
  assert.equal(await closings(next), 'idle=1 refused=2');
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
  assert.match(await closings(lines[2] as RawConnection), /^idle=1 stalled=2( refused=\d+)?$/);
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
  assert.equal(await closings(line), '');
});

test('the response that is unread for longest is closed first, before idle connections', async t => {
  const now = performance.now.bind(performance);
  let later = 0;
  t.mock.method(performance, 'now', () => now() + later);
  const { log, lines } = recorded();
  const target = await serving(t, { log, metrics: true, limits: { connections: 3 } });
  const served = (): number => lines().filter(({ event }) => event === 'request').length;
  const { line: first } = await unreadResponses(target.url, served);
  const { line: second } = await unreadResponses(target.url, served);
  const idle = await answered(target);
  later += 6_000;
  const next = [await answered(target), await answered(target)];
  destroyAfter(t, first, second, idle, ...next);
  for (const { socket } of [first, second]) socket.resume();
  await Promise.all([first.ended, second.ended]);
  assert.ok(!idle.socket.closed);
  assert.equal(await closings(idle), 'unread=2');
});

test('an address has a limit of its own, and closes only its own connections', async t => {
  const target = await serving(t, { metrics: true, limits: { connections: 10, connectionsPerAddress: 2 } });
  const from = async (localAddress: string): Promise<RawConnection> => {
    const line = await openConnection(target.url, localAddress);
    destroyAfter(t, line);
    line.socket.write(health);
    await line.receives(/alive/);
    return line;
  };
  const other = await from('127.0.0.3');
  const own = [await from('127.0.0.2'), await from('127.0.0.2'), await from('127.0.0.2')];
  await own[0]?.ended;
  assert.deepEqual(
    [other, ...own].map(({ socket }) => socket.closed),
    [false, true, false, false],
  );
  // A proxy on the same machine connects for many clients.
  const proxied = [await from('127.0.0.1'), await from('127.0.0.1'), await from('127.0.0.1')];
  assert.equal(await closings(proxied[0] as RawConnection), 'idle=1');
});
