import assert from 'node:assert/strict';
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { ClosedPipe } from '../../src/base/interrupted.ts';
import { makeFifo } from '../support/fifo.ts';
import { newFolder } from '../support/folder.ts';
import { job } from '../support/scoring/job.ts';
import { score } from '../support/scoring/score.ts';
import { connect } from '../support/stub/connect.ts';
import { send } from '../support/stub/service.ts';

/** Writes a CSV of many mebibytes to a pipe, until its reader ends. */
function feed(pipe: string, header: string, chunk: Buffer, mebibytes: number) {
  let read = 0;
  function* csv() {
    yield Buffer.from(header);
    for (; read < mebibytes * 2 ** 20; read += chunk.length) yield chunk;
  }
  const written = pipeline(Readable.from(csv(), { highWaterMark: 1 }), createWriteStream(pipe));
  return { fed: written.catch((error: NodeJS.ErrnoException) => error.code), read: () => read };
}

describe('the memory of a run', () => {
  it('does not grow with the input if the service hangs: reading stops', async t => {
    const folder = await newFolder(t);
    const input = await makeFifo(join(folder, 'in'));
    // Bodies are eight times as large as their rows, so a window of 64 MiB holds about 8 MB of input.
    const names = Array.from({ length: 20 }, (_, index) => `a_column_with_a_long_name_${index}`);
    const record = `${names.map((_, index) => 10_000 + index).join(',')}\n`;
    const { fed, read } = feed(input, `${names.join(',')}\n`, Buffer.from(record.repeat(500)), 200);
    const { client } = await connect(t, {
      concurrency: 4,
      // Blocked for long enough to read the whole input; then the run is stopped.
      async behave({ response }) {
        await delay(2000);
        send(response, 401, {});
        return true;
      },
    });
    await assert.rejects(score(job({ input, output: '/dev/null' }), client), { code: 'http_401' });
    assert.equal(await fed, 'EPIPE');

    assert.ok(read() < 16 * 2 ** 20, `${read()} bytes were read`);
  });

  it('does not grow with the input if nobody reads the output', async t => {
    const folder = await newFolder(t);
    const [input, output] = await Promise.all([makeFifo(join(folder, 'in')), makeFifo(join(folder, 'out'))]);
    const { fed, read } = feed(input, 'a\n', Buffer.from(`${'x'.repeat(1000)}\n`.repeat(500)), 400);
    const reader = createReadStream(output, { highWaterMark: 1 }); // opens the pipe; its buffer fills at once
    const { client } = await connect(t, { concurrency: 4 });
    const run = assert.rejects(score(job({ input, output }), client), ClosedPipe);
    await delay(2000); // long enough to read the whole input
    const held = read();

    reader.destroy();
    await run;
    assert.equal(await fed, 'EPIPE');

    assert.ok(held < 100 * 2 ** 20, `${held} bytes were read`);
  });
});
