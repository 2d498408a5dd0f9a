import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { startServer } from '../../../src/server/server.ts';
import { get } from '../../support/service/client.ts';
import { recorded } from '../../support/service/recorded.ts';
import { serving, trainedHome } from '../../support/service/serving.ts';
import { openConnection } from '../../support/service/socket.ts';
import { unreadResponses } from '../../support/service/unread-responses.ts';

const start = async () => startServer({ home: await trainedHome(), host: '127.0.0.1', port: 0, key: 'k' });

test('responses finished before a shutdown reach a slow client', async () => {
  const { log, lines } = recorded();
  const service = await startServer({
    home: await trainedHome(),
    host: '127.0.0.1',
    port: 0,
    key: 'k',
    log,
  });
  const served = (): number => lines().filter(({ event }) => event === 'request').length;
  const { line, requests } = await unreadResponses(service.url, served);
  const closed = service.close();
  line.socket.resume();
  const text = await line.ended;
  assert.equal(text.split('HTTP/1.1 200 OK').length - 1, requests);
  assert.equal(await closed, 0);
});

test('a request before the response to the last one closes the connection after it, and nothing more is parsed', async t => {
  const { log, lines } = recorded();
  const target = await serving(t, { log, metrics: true });
  const line = await openConnection(target.url);
  const health = 'GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n';
  const parsed: (string | undefined)[] = [];
  const onRequest = (message: unknown): void => {
    parsed.push((message as { request: IncomingMessage }).request.url); // as Node documents this channel
  };
  subscribe('http.server.request.start', onRequest);
  t.after(() => unsubscribe('http.server.request.start', onRequest));
  line.socket.write(health.repeat(1_000));
  assert.match(await line.ended, /^HTTP\/1\.1 200 OK(?![\s\S]*HTTP)[\s\S]*connection: close[\s\S]*alive/i);
  assert.deepEqual(parsed, ['/healthz']);
  assert.equal(lines().filter(({ event }) => event === 'request').length, 1);
  const metrics = await (await get(target, '/metrics')).text();
  assert.match(metrics, /^rowcast_connections_closed_total\{reason="pipelined"\} 1$/m);
});

test('a keep-alive connection closes after its in-flight response', async () => {
  const service = await start();
  const line = await openConnection(service.url);
  const body = JSON.stringify({ id: 'two', features: { plan: 'Basic' } });
  line.socket.write(
    'POST /user/persona HTTP/1.1\r\nhost: localhost\r\nauthorization: ApiKey k\r\nexpect: 100-continue\r\n' +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`,
  );
  await line.receives(/100 Continue/);
  const closed = service.close();
  line.socket.write(body);
  assert.match(await line.ended, /200 OK[\s\S]*connection: close[\s\S]*"probabilities"/i);
  assert.equal(await closed, 0);
});

test('idle connections are closed immediately', async () => {
  const service = await start();
  const [used, fresh] = await Promise.all([openConnection(service.url), openConnection(service.url)]);
  used.socket.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n');
  await used.receives(/alive/);
  const cut = await service.close();
  await Promise.all([used.ended, fresh.ended]);
  assert.equal(cut, 0);
});
