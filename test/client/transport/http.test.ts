import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { Credentials } from '../../../src/client/credentials.ts';
import { failureTable } from '../../../src/client/failure-table.ts';
import { reportProtocol } from '../../../src/client/protocols/report/report-protocol.ts';
import { Transport, type TransportOptions } from '../../../src/client/transport/http.ts';
import { listen } from '../../support/listen.ts';

const never = new AbortController().signal;
const call = { method: 'POST', path: '/user/persona', body: '{}' } as const;

/** A transport to a server that responds with the listener. */
async function connect(
  t: TestContext,
  listener: RequestListener,
  path = '/',
  problemOf: TransportOptions['problemOf'] = reportProtocol().problemOf,
): Promise<Transport> {
  const url = new URL(path, await listen(t, createServer(listener)));
  const transport = new Transport({
    url,
    credentials: new Credentials({ auth: 'apikey', key: 'k' }),
    timeout: 5000,
    connections: 1,
    failureTable,
    problemOf,
  });
  t.after(() => transport.close());
  return transport;
}

describe('the HTTP transport', () => {
  it('sends a request again if the service has closed the connection after the response before', async t => {
    const sockets = new Set<unknown>();
    const transport = await connect(t, (request, response) => {
      const isFirst = !sockets.has(request.socket);
      sockets.add(request.socket);
      // As uvicorn does after an exception: nothing in the response says that the connection is closed.
      if (isFirst) response.end('[]');
      else request.socket.destroy();
    });
    for (let sent = 0; sent < 3; sent++)
      assert.equal(await text((await transport.open(call, never)).body), '[]');
    assert.equal(sockets.size, 3);
  });

  it('fails if the service closes a new connection, or one in the middle of a response', async t => {
    let calls = 0;
    const transport = await connect(t, (request, response) => {
      if (++calls === 1) response.end('[]');
      else if (calls === 2)
        response.writeHead(200, { 'content-length': 9 }).write('[', () => request.socket.destroy());
      else request.socket.destroy();
    });
    await text((await transport.open(call, never)).body);
    await assert.rejects(async () => text((await transport.open(call, never)).body));
    await assert.rejects(transport.open(call, never), { code: 'UND_ERR_SOCKET' });
    assert.equal(calls, 3);
  });

  it('does not show a key that a service repeats in what it says about rows', async t => {
    const transport = await connect(
      t,
      (_, response) => response.writeHead(422).end('{}'),
      '/',
      () => ({
        detail: '',
        rows: [
          { row: 1, message: 'about k' },
          { row: 2, message: 'too long' },
        ],
      }),
    );
    const failure = await transport.open(call, never).catch(error => error);
    assert.deepEqual(
      failure.rows.map(({ message }: { message: string }) => message),
      [
        'the service responded with 422: it contains the API key or another secret, so it is not shown',
        'the service responded with 422: too long',
      ],
    );
  });

  it('refuses the response to another request', async t => {
    let first: string | undefined;
    const transport = await connect(t, ({ headers }, response) => {
      first ??= String(headers['x-request-id']);
      response.setHeader('x-request-id', first);
      response.end('[]');
    });
    assert.equal(await text((await transport.open(call, never)).body), '[]');
    await assert.rejects(transport.open(call, never), { code: 'other_response' });
  });

  it('refuses an encoded response', async t => {
    const transport = await connect(t, (_, response) => {
      response.writeHead(200, { 'content-encoding': 'br' }).end('x');
    });
    await assert.rejects(transport.open(call, never), { code: 'encoded_answer' });
  });
});
