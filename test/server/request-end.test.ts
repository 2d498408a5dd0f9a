import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { ModelCache } from '../../src/server/predict/model-cache.ts';
import { openFiles } from '../support/open-files.ts';
import { get, post, type Target } from '../support/service/client.ts';
import { persona, serving, trainedHome } from '../support/service/serving.ts';
import { headOf, openConnection } from '../support/service/socket.ts';
import { openUpload, responseHead } from '../support/service/upload.ts';
import { header, row } from '../support/service/uploads.ts';
import { until } from '../support/until.ts';

const csv = `${header}\n${`${row}\n`.repeat(20)}`;
const single = JSON.stringify({ id: 'two', ...persona });
/**
 * Body memory of which one key may have half: just enough for the request that checks whether everything is free again.
 */
const bodyBytes = 16 << 10;
const memoryBytes = 2 * bodyBytes;

/** Every kind of request that holds a resource while it is in progress, as bytes. */
function requests(target: Target): Buffer[] {
  const request = (line: string, headers: readonly string[] = [], body: string | Buffer = ''): Buffer => {
    const head = headOf(line, target, ...headers, `content-length: ${Buffer.byteLength(body)}`);
    return Buffer.concat([Buffer.from(head), Buffer.from(body)]);
  };
  const packed = gzipSync(single);
  return [
    request('POST /user/batch-predict?id=two', ['content-type: text/csv'], csv),
    request('POST /user/persona', ['content-type: application/json', 'content-encoding: gzip'], packed),
    request('GET /user/testing-results/two'),
    request('GET /healthz'),
    request('POST /user/batch-predict?id=two', ['content-type: text/csv', 'accept-encoding: gzip'], csv),
    request('POST /user/persona', ['content-type: application/json'], single),
    request('GET /%'),
    request('POST /user/batch-predict?id=none', ['content-type: text/csv'], csv),
  ];
}

async function inFlight(target: Target): Promise<number> {
  const text = await (await get(target, '/metrics')).text();
  return Number(/^rowcast_http_requests_in_flight (-?\d+)$/m.exec(text)?.[1]);
}

/** Checks that everything was released: both upload slots of the key, all body memory, files and models. */
async function checkFree(target: Target, held: { models: number }): Promise<void> {
  // The scrape is the one request.
  await until(async () => (await inFlight(target)) === 1, 'no other request was in flight');
  await until(async () => held.models === 0, 'no model was held');
  const home = await trainedHome();
  await until(async () => (await openFiles(home)).length === 0, 'no file was open');
  const uploads = [openUpload(target), openUpload(target)];
  for (const each of uploads) each.write(`${header}\n${`${row}\n`.repeat(5000)}`);
  for (const each of uploads) {
    const response = await responseHead(each);
    assert.equal(response.statusCode, 200);
    response.resume();
    each.end();
  }
  const largest = await post(target, '/user/persona', single.padEnd(bodyBytes - 1));
  assert.equal(largest.status, 200);
  await until(async () => (await inFlight(target)) === 1, 'the last uploads had ended');
}

/** Counts the models in use. */
function watchModels(t: TestContext): { models: number } {
  const held = { models: 0 };
  const hold = ModelCache.prototype.hold;
  t.mock.method(ModelCache.prototype, 'hold', async function (this: ModelCache, id: string) {
    const { predictor, release } = await hold.call(this, id);
    held.models++;
    return {
      predictor,
      release() {
        held.models--;
        release();
      },
    };
  });
  return held;
}

const endings = {
  'is reset': socket => socket.resetAndDestroy(),
  'is half-closed': socket => socket.end(),
} as const satisfies Record<string, (socket: Socket) => void>;

for (const [how, end] of Object.entries(endings))
  test(`a connection that ${how} at any point of a request releases everything`, async t => {
    const held = watchModels(t);
    const target = await serving(t, { metrics: true, limits: { uploads: 4, memoryBytes } });
    const all = requests(target);
    // Within each request's head, at its end, within its body and at its end; before or after its response has started.
    const parts = all.flatMap(bytes =>
      [20, bytes.length - 1, bytes.length].map(point => bytes.subarray(0, point)),
    );
    // What comes before the response closes the connection.
    for (const [i, bytes] of [...parts, Buffer.concat(all)].entries()) {
      const line = await openConnection(target.url);
      // The responses are not always read.
      if (i % 2 === 0) line.socket.pause();
      line.socket.write(bytes);
      for (let turns = i % 5; turns > 0; turns--) await new Promise(setImmediate);
      if (i % 3 === 2 && i % 2 === 1) await line.receives(/HTTP/);
      end(line.socket);
      line.socket.resume();
      await line.ended;
    }
    await checkFree(target, held);
  });

test('the connection of a request behind an unread response ends after that response, and releases both', async t => {
  const held = watchModels(t);
  const target = await serving(t, { metrics: true, limits: { uploads: 4, memoryBytes, spillMs: 20 } });
  const large = `${header},text\n${`${row},${'x'.repeat(1000)}\n`.repeat(8000)}`;
  const line = await openConnection(target.url);
  line.socket.pause();
  const upload = (body: string): string =>
    headOf(
      'POST /user/batch-predict?id=two',
      target,
      'content-type: text/csv',
      `content-length: ${body.length}`,
    ) + body;
  const sent = once(line.socket, 'drain');
  line.socket.write(upload(large));
  await sent;
  await until(async () => (await inFlight(target)) === 2, 'the upload was the only other request');
  line.socket.write(upload(csv));
  line.socket.resume();
  const received = await line.ended;
  assert.equal(received.match(/^HTTP\/1\.1 /gm)?.length, 1);
  assert.match(received, /\r\n0\r\nx-rowcast-accounts: read=8000, scored=8000, rejected=0\r\n\r\n$/);
  await checkFree(target, held);
});
