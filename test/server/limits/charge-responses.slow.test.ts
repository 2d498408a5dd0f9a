import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { trainReport } from '../../../src/training/train.ts';
import { newFolder } from '../../support/folder.ts';
import type { Target } from '../../support/service/client.ts';
import { recorded } from '../../support/service/recorded.ts';
import { serving } from '../../support/service/serving.ts';
import { headOf, openConnection, type RawConnection } from '../../support/service/socket.ts';
import { until } from '../../support/until.ts';

const CLASSES = 60;
const nameOf = (i: number): string => `class-${i}-${'x'.repeat(200)}`;

/** A report of many classes with long names: its responses are much larger than the requests. */
async function wideHome(t: TestContext): Promise<string> {
  const rows = Array.from({ length: 600 }, (_, i) => `${i % CLASSES}.${i},${nameOf(i % CLASSES)}`);
  const home = await newFolder(t, { 'history.csv': `amount,label\n${rows.join('\n')}\n` });
  await trainReport({ historyFile: join(home, 'history.csv'), predict: 'label', home, id: 'wide' });
  return home;
}

const personas = (count: number): string =>
  JSON.stringify({
    id: 'wide',
    personas: Array.from({ length: count }, (_, i) => ({ features: { amount: i } })),
  });

/** Sends a request and does not read the response. */
async function unread(target: Target, body: string): Promise<RawConnection> {
  const line = await openConnection(target.url);
  line.socket.pause();
  const headers = ['content-type: application/json', `content-length: ${body.length}`, 'connection: close'];
  line.socket.write(headOf('POST /user/batch-persona', target, ...headers) + body);
  return line;
}

test('unread responses count for the memory of their key, also when they are sent in pieces, until they are read', async t => {
  const { log, lines } = recorded();
  const home = await wideHome(t);
  // Room for the numbers of two large responses, with what is in their sockets, but not of three.
  const target = await serving(t, { home, log, limits: { responseBytes: 8 << 20 } });
  const body = personas(1_500);
  const refusals = (): number => lines().filter(({ event }) => event === 'requests_refused').length;
  const waiting = [await unread(target, body), await unread(target, body), await unread(target, body)];
  await until(() => refusals() > 0);
  for (const { socket } of waiting) socket.resume();
  const answers = await Promise.all(waiting.map(({ ended }) => ended));
  assert.deepEqual(answers.map(text => text.slice(9, 12)).sort(), ['200', '200', '503']);
  const refused = answers.find(text => text.includes(' 503 ')) ?? '';
  assert.match(
    refused,
    /retry-after: 1\r\n[\s\S]*unread responses of this key take up [\d,]+ of the [\d,]+ bytes/i,
  );
  for (const text of answers)
    if (text !== refused) assert.equal(text.match(/"probabilities"/g)?.length, 1_500);
  // Everything is free again.
  const next = await unread(target, body);
  next.socket.resume();
  assert.match(await next.ended, /^HTTP\/1\.1 200 /);
});
