import assert from 'node:assert/strict';
import { createWriteStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { PassThrough, Readable, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { describe, it } from 'node:test';
import { createGzip, gunzipSync } from 'node:zlib';
import { score } from '../../../src/library/score.ts';
import { scoreStream } from '../../../src/library/streams/scored-stream.ts';
import { listen } from '../../support/listen.ts';
import { bench, csv } from '../bench.ts';

/** Rows without end; says how much was read, and whether it was closed. */
function endless() {
  const state = { bytes: 0, isClosed: false };
  async function* rows() {
    const chunk = Buffer.from(csv(2000).slice('id,amount\n'.length));
    try {
      yield Buffer.from('id,amount\n');
      for (;;) {
        state.bytes += chunk.length;
        yield chunk;
      }
    } finally {
      state.isClosed = true;
    }
  }
  return { state, input: rows() };
}

describe('an output stream', () => {
  it('gets what a file gets, and is ended', async t => {
    const { run, at, read, write } = await bench(t);
    const input = await write('in.csv', csv(1500));
    await score({ input, output: at('expected.csv'), ...run });
    const file = createWriteStream(at('a.csv'));
    const { output, rejects } = await score({ input, output: file, ...run, onReject: () => {} });
    assert.deepEqual([output, rejects, file.writableFinished], ['stream', null, true]);
    assert.equal(await read('a.csv'), await read('expected.csv'));

    const gzip = createGzip();
    const [packed] = await Promise.all([buffer(gzip), score({ input, output: gzip, ...run })]);
    assert.equal(gunzipSync(packed).toString(), await read('expected.csv'));
  });

  it('may be the response of an HTTP server, which ends when the rejects are written', async t => {
    const { run, at, read, write } = await bench(t);
    const input = await write('in.csv', `${csv(3)}too,many,fields\n`);
    const served = createServer((_, response) => {
      score({ input, output: response, rejects: at('rejects.csv'), ...run }).catch(() => {});
    });
    const response = await fetch(await listen(t, served));
    assert.equal((await response.text()).split('\n').length, 5);
    assert.match(await read('rejects.csv'), /too_many_fields/);
  });

  it('that fails, now or at its end, stops the run with its error as the cause', async t => {
    const { run } = await bench(t);
    const cause = new Error('full');
    const bad: (() => Writable)[] = [
      () => new Writable({ write: (_, __, done) => done(cause) }),
      () => new Writable({ write: (_, __, done) => done(), final: done => done(cause) }),
      () => new Writable().on('error', () => {}).destroy(cause),
    ];
    for (const make of bad) {
      const input = Readable.from([Buffer.from(csv(10))]);
      await assert.rejects(score({ input, output: make(), ...run }), { code: 'unwritable_output' });
    }
  });

  it('is destroyed with the error if the run fails, so that it does not look complete', async t => {
    const { run } = await bench(t);
    for (const input of ['does-not-exist.csv', failingInput()]) {
      const output = new PassThrough().resume();
      await assert.rejects(score({ input, output, ...run }));
      assert.equal(output.writableFinished, false);
      assert.ok(output.errored);
    }
  });
});

/** Fails in the middle. */
function failingInput(): Readable {
  return Readable.from(
    (async function* () {
      yield Buffer.from(csv(1200));
      throw new Error('the network is gone');
    })(),
  );
}

describe('an input stream', () => {
  it('that fails in the middle stops the run, and leaves no output', async t => {
    const { folder, job } = await bench(t);
    await assert.rejects(score({ ...job, input: failingInput() }), {
      code: 'unreadable_input',
      exitCode: 3,
      location: { file: 'stream' },
    });
    assert.deepEqual((await readdir(folder)).sort(), ['in.csv', 'out.csv.checkpoint', 'out.csv.partial']);
  });

  it('may be any iterable of bytes, or bytes', async t => {
    const { run, at, read, write } = await bench(t);
    const text = csv(50);
    await score({ input: await write('in.csv', text), output: at('expected.csv'), ...run });
    const parts = [Buffer.from(text.slice(0, 100)), new TextEncoder().encode(text.slice(100))];
    const inputs = {
      array: parts,
      generator: parts.values(),
      set: new Set(parts),
      buffer: Buffer.from(text),
    };
    for (const [name, input] of Object.entries(inputs)) {
      const { rows } = await score({ input, output: at(`${name}.csv`), ...run });
      assert.equal(rows.scored, 50, name);
      assert.equal(await read(`${name}.csv`), await read('expected.csv'), name);
    }
  });

  it('of something other than bytes is refused in words', async t => {
    const { job } = await bench(t);
    const text = Readable.from([csv(3)]);
    const message = /^input: expected bytes, got string$/;
    await assert.rejects(score({ ...job, input: text }), {
      code: 'bad_option',
      message,
    });
  });

  it('is closed when no more of it is needed, and when the run is refused', async t => {
    const { run, job } = await bench(t);
    const first = endless();
    await score({ ...job, input: first.input, limit: 5 });
    assert.equal(first.state.isClosed, true);
    const second = Readable.from(endless().input);
    await assert.rejects(score({ input: second, output: '/dev/null/out.csv', ...run }));
    assert.equal(second.destroyed, true);
  });
});

describe('scoreStream', () => {
  it('gives the rows as they are read, and what the run came to', async t => {
    const { run, at, write } = await bench(t);
    const input = await write('in.csv', csv(1500));
    await score({ input, output: at('expected.csv'), ...run });
    const scored = scoreStream({ input, ...run });
    const chunks = await scored.toArray();
    assert.ok(Buffer.concat(chunks).equals(await readFile(at('expected.csv'))));
    const { status, rows } = await scored.summary;
    assert.deepEqual([status, rows.scored], ['finished', 1500]);
  });

  it('that nobody reads does not read on', async t => {
    const { run } = await bench(t);
    const { state, input } = endless();
    const scored = scoreStream({ input, ...run });
    for await (const chunk of scored) if (chunk.length > 1000) break;
    // `break` destroys the stream, which is closed once the run has let go of its input.
    if (!scored.closed) await new Promise(done => scored.once('close', done));
    assert.ok(state.bytes < 128 << 20, `${state.bytes} bytes were read`);
    assert.equal(state.isClosed, true);
    await assert.rejects(scored.summary, { code: 'interrupted' });
  });

  it('that is destroyed while a request hangs is closed at once', async t => {
    const { run } = await bench(t, {
      behave() {
        scored.destroy();
        return true;
      },
    });
    const scored = scoreStream({ input: Readable.from([Buffer.from(csv(10))]), ...run });
    await assert.rejects(scored.toArray(), { name: /AbortError|Error/ });
    await assert.rejects(scored.summary, { code: 'interrupted' });
  });

  it('fails in a pipeline when its run does', async t => {
    const { run, at } = await bench(t);
    const scored = scoreStream({ input: failingInput(), ...run });
    const file = createWriteStream(at('out.csv'));
    await assert.rejects(pipeline(scored, file), { code: 'unreadable_input' });
    assert.equal(file.writableFinished, false);
  });
});
