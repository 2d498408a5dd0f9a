import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { score } from '../../../src/library/score.ts';
import { makeFifo } from '../../support/fifo.ts';
import { bench, csv } from '../bench.ts';

describe('the end of an output stream', () => {
  it('stops the run at once if it comes early, whatever the run waits for', async t => {
    const { run } = await bench(t);
    async function* hanging() {
      yield Buffer.from(csv(400));
      await new Promise(() => {});
    }
    const output = new PassThrough().resume();
    const onProgress = () => void output.destroy();
    await assert.rejects(score({ input: hanging(), output, ...run, onProgress }), {
      code: 'unwritable_output',
      exitCode: 3,
      message: 'cannot write the output: it was closed',
    });
    const early = new PassThrough().resume();
    const asked = {
      ...run,
      scorer: { ...run.scorer, name: 'mine', close: async () => {}, score: async () => [] },
    };
    const report = () => new Promise<never>(() => void early.destroy(new Error('hung up')));
    const waiting = { ...asked, scorer: { ...asked.scorer, report } };
    await assert.rejects(score({ input: hanging(), output: early, ...waiting }), {
      code: 'unwritable_output',
      exitCode: 2,
      message: 'cannot write the output: hung up',
    });
  });

  it('comes when the summary and all other files are there', async t => {
    const { at, read, job } = await bench(t);
    const files = { summary: at('s.json'), metrics: at('m.prom'), rejects: at('rejects.csv') };
    const output = new PassThrough().resume();
    const ended = once(output, 'end').then(async () => [
      JSON.parse(await read('s.json')).status,
      ...[await read('m.prom'), await read('rejects.csv')].map(text => text !== ''),
    ]);
    await score({ ...job, output, ...files });
    assert.deepEqual(await ended, ['finished', true, true]);
  });

  it('or of a FIFO comes when the summary is there', async t => {
    const { at, read, job } = await bench(t);
    const output = await makeFifo(at('fifo'));
    const readAll = async () => {
      const text = await read('fifo');
      return [text.split('\n').length, JSON.parse(await read('s.json')).status];
    };
    const running = score({ ...job, output, summary: at('s.json') });
    assert.deepEqual(await readAll(), [5, 'finished']);
    await running;
  });

  it('that fails leaves a summary which says so', async t => {
    const { at, read, job } = await bench(t);
    const output = new Writable({
      write: (_, __, done) => done(),
      final: done => done(new Error('not delivered')),
    });
    await assert.rejects(score({ ...job, output, summary: at('s.json') }), {
      code: 'unwritable_output',
      exitCode: 3,
    });
    const { status, exit_code, error } = JSON.parse(await read('s.json'));
    assert.deepEqual([status, exit_code, error.code], ['stopped', 3, 'unwritable_output']);
  });
});
