import assert from 'node:assert/strict';
import type { SignedIn } from './platform.ts';

/** An event of a stream. */
export interface ServerEvent {
  id?: string;
  event: string;
  data: unknown;
}

/** Opens a stream of server-sent events; fails unless it is one. */
export async function openEvents(
  browser: Pick<SignedIn, 'fetch'>,
  path: string,
): Promise<AsyncGenerator<ServerEvent>> {
  const response = await browser.fetch(path, { headers: { accept: 'text/event-stream' } });
  assert.equal(response.status, 200, response.status === 200 ? '' : await response.text());
  assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  assert.ok(response.body !== null);
  // At once: the body of a response that nobody reads is closed when the response is garbage-collected.
  return eventsIn(response.body.pipeThrough(new TextDecoderStream()));
}

/** Reads a stream to its end. @returns the data of its events */
export async function allEvents(events: AsyncGenerator<ServerEvent>): Promise<ServerEvent[]> {
  const all: ServerEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

async function* eventsIn(body: ReadableStream<string>): AsyncGenerator<ServerEvent> {
  let text = '';
  for await (const part of body) {
    text += part;
    for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
      const fields = new Map(
        text
          .slice(0, end)
          .split('\n')
          .map(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
      );
      text = text.slice(end + 2);
      const event = fields.get('event');
      const id = fields.get('id');
      if (event !== undefined)
        yield { ...(id !== undefined && { id }), event, data: JSON.parse(fields.get('data') ?? 'null') };
    }
  }
}
