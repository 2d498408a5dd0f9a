import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { startServer } from '../../../src/server/server.ts';
import type { RunningServiceOptions } from '../../../src/server/service.ts';
import { get } from '../../support/service/client.ts';
import { recorded } from '../../support/service/recorded.ts';
import { serving, trainedHome } from '../../support/service/serving.ts';
import { headOf, openConnection } from '../../support/service/socket.ts';
import { unreadResponses } from '../../support/service/unread-responses.ts';

const start = async (options: Partial<RunningServiceOptions> = {}) =>
  startServer({ home: await trainedHome(), host: '127.0.0.1', port: 0, key: 'k', ...options });

test('responses finished before a shutdown reach a slow client', async () => {
  const { log, lines } = recorded();
  const service = await start({ log });
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
  const parsed: (string | undefined)[] = [];
  const onRequest = (message: unknown): void => {
    parsed.push((message as { request: IncomingMessage }).request.url); // as Node documents this channel
  };
  subscribe('http.server.request.start', onRequest);
  t.after(() => unsubscribe('http.server.request.start', onRequest));
  line.socket.write(headOf('GET /healthz').repeat(1_000));
  assert.match(await line.ended, /^HTTP\/1\.1 200 OK(?![\s\S]*HTTP)[\s\S]*connection: close[\s\S]*alive/i);
  assert.deepEqual(parsed, ['/healthz']);
  assert.equal(lines().filter(({ event }) => event === 'request').length, 1);
  const metrics = await (await get(target, '/metrics')).text();
  assert.match(metrics, /^rowcast_connections_closed_total\{reason="pipelined"\} 1$/m);
});

test('idle connections are closed immediately', async () => {
  const service = await start();
  const [used, fresh] = await Promise.all([openConnection(service.url), openConnection(service.url)]);
  used.socket.write(headOf('GET /healthz'));
  await used.receives(/alive/);
  const cut = await service.close();
  await Promise.all([used.ended, fresh.ended]);
  assert.equal(cut, 0);
});
