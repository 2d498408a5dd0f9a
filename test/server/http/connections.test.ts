import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startService } from '../../../src/server/server.ts';
import { get } from '../../support/service/client.ts';
import { trainedHome } from '../../support/service/serving.ts';
import { openConnection } from '../../support/service/socket.ts';

const start = async () => startService({ home: await trainedHome(), host: '127.0.0.1', port: 0, key: 'k' });

test('responses finished before a shutdown reach a slow client', async () => {
  const service = await start();
  const line = await openConnection(service.url);
  line.socket.pause();
  const requests = 30;
  line.socket.write('GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(requests));
  // Once another request has a response, the service has read these.
  await get({ url: service.url, key: 'k' }, '/readyz');
  const closed = service.close();
  line.socket.resume();
  const text = await line.ended;
  assert.equal(text.split('HTTP/1.1 200 OK').length - 1, requests);
  assert.equal(await closed, 0);
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
