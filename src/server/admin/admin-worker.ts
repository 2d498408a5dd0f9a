import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { RowcastError, toThreadError } from '../../base/errors.ts';
import { headProblem, hostCheck } from '../http/check-head.ts';
import { ServerConnections } from '../http/connections.ts';
import { problemFrom, problemType, RequestError, sendClientError } from '../problems/problems.ts';
import { type AdminJob, type AdminMessage, type AdminReply, Heartbeat, MainThread } from './main-thread.ts';

/** A probe is one short request on its own connection, which arrives at once. */
const REQUEST_MS = 2_000;
const CONNECTIONS = 100;

if (parentPort === null) throw new Error('this file runs in a worker thread only');
const port = parentPort;
// Only `startAdmin` starts this file, with an AdminJob.
const job = workerData as AdminJob;
const checkHost = hostCheck(job.host);
const heartbeat = new Heartbeat(job.heartbeat);
const mainThread = new MainThread(
  () => heartbeat.silence(),
  question => port.postMessage(question),
);
port.on('message', (reply: AdminReply) => mainThread.onReply(reply));

async function contentOf(request: IncomingMessage): Promise<{ type: string; body: string }> {
  const problem = headProblem(request) ?? checkHost(request);
  if (problem !== undefined) throw problem;
  if (request.method !== 'GET' && request.method !== 'HEAD')
    throw new RequestError('method_not_allowed', 'Only GET and HEAD are supported.');
  const json = 'application/json; charset=utf-8';
  switch (request.url?.split('?', 1)[0]) {
    case '/healthz':
      mainThread.checkAlive();
      return { type: json, body: '{"status":"alive"}' };
    case '/readyz':
      await mainThread.checkReady();
      return { type: json, body: '{"status":"ready"}' };
    case '/metrics':
      if (job.contentType !== undefined) return { type: job.contentType, body: await mainThread.metrics() };
  }
  throw new RequestError('no_such_endpoint', 'This port serves /healthz, /readyz and /metrics.');
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.setHeader('connection', 'close');
  try {
    const { type, body } = await contentOf(request);
    response.writeHead(200, { 'content-type': type }).end(body);
  } catch (error) {
    const problem = problemFrom(error);
    if (problem.status === 503) response.setHeader('retry-after', '1');
    response.writeHead(problem.status, { 'content-type': problemType }).end(JSON.stringify(problem));
  }
}

const server = createServer(
  {
    headersTimeout: REQUEST_MS,
    requestTimeout: REQUEST_MS,
    connectionsCheckingInterval: 500,
    requireHostHeader: false,
  },
  (request, response) => connections.serve(request, response, () => respond(request, response)),
);
// However many connections are open without a request, or with an unread response, a new one takes the place of
// another.
const connections = new ServerConnections(server, {
  isTls: false,
  limit: CONNECTIONS,
  stalledMs: 0,
  onClosing() {},
});
server.on('clientError', (error, socket: Socket) => sendClientError(error, socket, () => {}));
// `headProblem` counts them.
server.maxHeadersCount = 0;
server.once('error', cause => {
  const failure = new RowcastError(
    'cannot_listen',
    `--admin-port: cannot listen on ${job.host}:${job.port}: ${cause.message}`,
    { hint: 'Choose a free --admin-port and an address of this machine.', cause },
  );
  port.postMessage({ failure: toThreadError(failure) } satisfies AdminMessage);
});
server.listen(job.port, job.host, () => {
  const { address, family, port: own } = server.address() as AddressInfo; // a TCP server has no other kind of address
  const name = family === 'IPv6' ? `[${address}]` : address;
  port.postMessage({ url: `http://${name}:${own}` } satisfies AdminMessage);
});
