import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { readdir, readlink } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { plan } from '../../src/library/forecast/plan.ts';
import { score } from '../../src/library/score.ts';
import { Client } from '../../src/library/scorers/client.ts';
import { LocalScorer } from '../../src/library/scorers/local-scorer.ts';
import { startService } from '../../src/library/start-service.ts';
import { scoreStream } from '../../src/library/streams/scored-stream.ts';
import { train } from '../../src/library/train.ts';
import { verify } from '../../src/library/verify.ts';
import type { Summary } from '../../src/runs/summary/summary.ts';
import { bench } from './bench.ts';

/** What the run came to; the stream fails too. */
function summaryOf(options: never): Promise<Summary> {
  const stream = scoreStream(options);
  stream.on('error', () => {});
  return stream.summary;
}

/** As from JavaScript, where nothing checks types. */
const untyped = (value: unknown): never => value as never;

const wrong: [object, RegExp][] = [
  [{ report: '' }, /^report: expected an id/],
  [{ output: undefined }, /^output: expected a path/],
  [{ nonsense: 1 }, /^unknown option "nonsense"/],
  [{ url: 'https://example.com' }, /^url and scorer exclude each other/],
  [{ signal: 5 }, /^signal: expected an AbortSignal/],
  [{ scorer: {} }, /^scorer: expected an object with name, report, score and close/],
  [{ encoding: 'nonsense' }, /nonsense/],
];

describe('a run of the library that is refused', () => {
  it('closes its input stream, whatever the reason', async t => {
    const { job } = await bench(t);
    for (const [options, message] of wrong) {
      const input = createReadStream(job.input);
      const given = { ...job, input, ...options };
      await assert.rejects(score(untyped(given)), { code: 'bad_option', message });
      if (!input.closed) await once(input, 'close');
    }
  });

  it('cancels a web stream that it has not read', async t => {
    const { job } = await bench(t);
    let why: unknown = 'not cancelled';
    const input = new ReadableStream<Uint8Array>({
      cancel(reason) {
        why = reason;
      },
    });
    await assert.rejects(score({ ...job, input: untyped(input), report: '' }));
    assert.equal(why, undefined);
  });

  it('closes its input file', async t => {
    const { job } = await bench(t);
    await assert.rejects(score({ ...job, encoding: 'nonsense' }));
    const open = await Promise.all(
      (await readdir('/proc/self/fd')).map(fd => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
    );
    assert.equal(open.includes(job.input), false);
  });
});

describe('an option that does not exist, or has a wrong value', () => {
  it('is refused by what starts a service or opens local reports', async () => {
    for (const [call, message] of [
      [() => startService(untyped({ prot: 8080 })), /^unknown option "prot"/],
      [() => startService(untyped({ storedKeys: false })), /^unknown option "storedKeys"/],
      [() => startService(untyped({ threads: 0 })), /^threads: /],
      [() => LocalScorer.open(untyped({ thread: 1 })), /^unknown option "thread"/],
      [() => LocalScorer.open(untyped({ threads: 'x' })), /^threads: /],
    ] as const)
      await assert.rejects(call, { code: 'bad_option', exitCode: 2, message });
  });
});

describe('a call without options', () => {
  it('is refused in words that name what is missing', async () => {
    const calls: [() => Promise<unknown>, RegExp][] = [
      [() => score(untyped(undefined)), /^score: expected an object with the options input, output and/],
      [() => score(untyped({})), /^output: expected a path, a URL or a stream/],
      [() => score(untyped({ output: 'x.csv' })), /^report: expected an id/],
      [() => score(untyped({ output: 'x.csv', report: 'r' })), /^input: expected a path, a URL or a stream/],
      [() => summaryOf(untyped(null)), /^scoreStream: expected an object/],
      [() => summaryOf(untyped({})), /^report: expected an id/],
      [() => plan(untyped(undefined)), /^plan: expected an object with the options input and report/],
      [() => verify(untyped('in.csv')), /^verify: expected an object with the options input and output/],
      [() => train(untyped(undefined)), /^train: expected an object with the options history and predict/],
      [
        async () => new Client(untyped(undefined)),
        /^Client: expected an object with the options url and key/,
      ],
      [() => LocalScorer.open(untyped(null)), /^LocalScorer.open: expected an object/],
      [() => startService(untyped(null)), /^startService: expected an object/],
    ];
    for (const [call, message] of calls)
      await assert.rejects(call, { code: 'bad_option', exitCode: 2, message });
  });
});
