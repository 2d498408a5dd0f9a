import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { listen } from '../listen.ts';
import {
  type Attributes,
  decodeMetrics,
  decodeTraces,
  type ReceivedMetric,
  type ReceivedSpan,
} from './decode.ts';

/** What a collector has received so far. */
export interface Collector {
  url: string;
  spans: ReceivedSpan[];
  resources: Attributes[];
  /** The metrics of the last export. */
  metrics: ReceivedMetric[];
  requests: { path: string; headers: IncomingMessage['headers']; body: Buffer }[];
}

/**
 * Receives OTLP over HTTP on a real socket.
 *
 * @param behave returns true if it responds itself
 */
export async function startCollector(
  t: TestContext,
  behave: (request: IncomingMessage, response: ServerResponse) => boolean = () => false,
): Promise<Collector> {
  const collector: Collector = { url: '', spans: [], resources: [], metrics: [], requests: [] };
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const path = request.url ?? '';
    collector.requests.push({ path, headers: request.headers, body });
    if (behave(request, response)) return;
    if (path === '/v1/traces')
      for (const { resource, spans } of decodeTraces(body)) {
        collector.resources.push(resource);
        collector.spans.push(...spans);
      }
    if (path === '/v1/metrics') collector.metrics = decodeMetrics(body);
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  });
  collector.url = await listen(t, server);
  return collector;
}
