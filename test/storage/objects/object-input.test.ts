import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { backendsFor, openSource } from '../../../src/storage/backends.ts';
import { contentOf } from '../../support/content-of.ts';
import { type Fault, fileServer } from '../../support/file-server.ts';

const bytes = randomBytes(1 << 20);

async function opened(t: TestContext, content = bytes, maxOutage = 5) {
  const server = await fileServer(t, { '/in.bin': content });
  const retries: string[] = [];
  const among = backendsFor({ maxOutage, stallMs: 200, onRetry: ({ message }) => retries.push(message) });
  const source = await openSource(server.url('/in.bin'), false, undefined, among);
  t.after(() => source.close());
  return { source, server, retries };
}

/** Sends the first half of what was requested, then does something else. */
const half =
  (then: (response: Parameters<Fault>[1]) => void, headers: Record<string, string | number> = {}): Fault =>
  (_, response, part) => {
    const sent = part.subarray(0, part.length >> 1);
    response.writeHead(206, { 'content-length': part.length, ...headers });
    response.write(sent, () => then(response));
    return true;
  };

const unavailable: Fault = (_, response) => {
  response.writeHead(503).end();
  return true;
};

describe('an object is read to its last byte', () => {
  const faults: Readonly<Record<string, Fault>> = {
    'the connection is cut': half(response => response.destroy()),
    'nothing arrives any more': half(() => {}),
    'the response is said to be as long as it came': (_, response, part) => {
      response.writeHead(206).end(part.subarray(0, 1000)); // chunked, so a client takes it for whole
      return true;
    },
    'the server is unavailable': unavailable,
  };
  for (const [name, fault] of Object.entries(faults))
    it(`although ${name}`, async t => {
      const { source, server, retries } = await opened(t);
      server.faults.push(fault, fault);
      assert.deepEqual(await contentOf(source), bytes);
      assert.equal(retries.length, 2, retries.join());
    });

  it('from where it broke, not from its start', async t => {
    const { source, server } = await opened(t);
    server.faults.push(half(response => response.destroy()));
    await contentOf(source);
    const [, first, second] = server.ranges.map(range => Number(/^bytes=(\d+)/.exec(range ?? '')?.[1]));
    assert.equal(first, 0);
    assert.ok((second ?? 0) > 0 && (second ?? 0) <= bytes.length >> 1, `again from ${second}`);
  });

  it('if its server knows no ranges', async t => {
    const { source, server } = await opened(t);
    const whole: Fault = (_, response) => {
      response.writeHead(200, { 'content-length': bytes.length }).end(bytes);
      return true;
    };
    server.faults.push(
      half(response => response.destroy()),
      whole,
    );
    assert.deepEqual(await contentOf(source), bytes);
  });

  it('if it is compressed', async t => {
    const { source, server } = await opened(t, gzipSync(bytes));
    server.faults.push(half(response => response.destroy()));
    assert.equal((await source.identify()).codec, 'gzip');
    assert.deepEqual(await contentOf(source), bytes);
  });

  it('if it is empty', async t => {
    const { source } = await opened(t, Buffer.alloc(0));
    assert.deepEqual(await contentOf(source), Buffer.alloc(0));
  });

  it('while its reader is slower than a stall', async t => {
    const { source, retries } = await opened(t);
    const first = await source.chunks.next();
    await sleep(400);
    const rest = await contentOf(source);
    assert.deepEqual(Buffer.concat([Buffer.from(first.value), rest]).length, bytes.length);
    assert.deepEqual(retries, []);
  });
});

describe('reading an object stops', () => {
  it('if the object changes meanwhile', async t => {
    const { source, server } = await opened(t);
    server.faults.push(
      half(response => {
        server.files.set('/in.bin', randomBytes(5));
        response.destroy();
      }),
    );
    await assert.rejects(contentOf(source), {
      code: 'input_changed',
      exitCode: 3,
      message: /it had 1,048,576 bytes, now it has 5/,
    });
  });

  it('if the server stays unavailable for too long', async t => {
    const { source, server } = await opened(t, bytes, 0.3);
    server.faults.push(...Array.from({ length: 50 }, () => unavailable));
    await assert.rejects(contentOf(source), { code: 'store_unavailable', exitCode: 75, message: /HTTP 503/ });
  });

  it('before it begins, if there is no such object', async t => {
    const { server } = await opened(t);
    await assert.rejects(openSource(server.url('/none.csv')), { code: 'no_such_file', exitCode: 2 });
  });
});

describe('an object with a weak ETag', () => {
  it('is compared by length and time', async t => {
    const server = await fileServer(t, { '/in.csv': Buffer.from('a\n1\n') });
    server.etags.set('/in.csv', 'W/"1"');
    const source = await openSource(server.url('/in.csv'));
    assert.deepEqual([source.version.etag, source.version.size, source.version.modified], [undefined, 4, 0]);
    await source.checkUnchanged();
    server.files.set('/in.csv', Buffer.from('a\n12\n'));
    await assert.rejects(source.checkUnchanged(), { code: 'input_changed' });
    source.close();
  });
});
