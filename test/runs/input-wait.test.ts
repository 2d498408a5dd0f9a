import assert from 'node:assert/strict';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { RowcastError } from '../../src/base/errors.ts';
import { type InputWaitOptions, inputWait, type Waiting } from '../../src/runs/input-wait.ts';
import { newFolder } from '../support/folder.ts';

const FOREVER = 3600;

/** A wait that looks often, in a folder; `during` is called at each look at which an input is not ready. */
async function waitIn(
  t: TestContext,
  options: Partial<InputWaitOptions> & Pick<InputWaitOptions, 'inputs'>,
  during: (waiting: Waiting, folder: string) => Promise<void> | void = () => {},
) {
  const folder = await newFolder(t);
  const said: string[] = [];
  const wait = inputWait({
    waitForInput: FOREVER,
    stop: new AbortController().signal,
    stableMs: 50,
    lookMs: 5,
    ...options,
    inputs: options.inputs.map(name => join(folder, name)),
    onWaiting(waiting) {
      said.push(waiting.why);
      void during(waiting, folder);
    },
  });
  assert.ok(wait);
  return { folder, wait, said: () => [...new Set(said)] };
}

const NEW = 'it is new, and may still be written';

describe('an input that is waited for', () => {
  it('is complete when it is there and has not changed for some time', async t => {
    const { wait, said } = await waitIn(t, { inputs: ['a.csv'] }, ({ why }, folder) =>
      why === 'no such file' ? writeFile(join(folder, 'a.csv'), 'a\n1\n') : undefined,
    );
    await wait.arrived();
    assert.deepEqual(said(), ['no such file', NEW]);
  });

  it('is complete at once if it is old', async t => {
    const { wait, folder, said } = await waitIn(t, { inputs: ['a.csv'], stableMs: FOREVER * 1000 });
    await writeFile(join(folder, 'a.csv'), 'a\n1\n');
    await utimes(join(folder, 'a.csv'), 1e9, 1e9);
    await wait.arrived();
    assert.deepEqual(said(), []);
  });

  it('is complete only when all files of a pattern are: none of them is empty, and no other one arrives', async t => {
    let looks = 0;
    const { wait, folder, said } = await waitIn(t, { inputs: ['in/*.csv'] }, async () => {
      looks++;
      await mkdir(join(folder, 'in'), { recursive: true });
      if (looks < 12)
        await writeFile(join(folder, 'in', `${looks % 4}.csv`), looks > 7 ? `a\n${looks}\n` : '');
    });
    await wait.arrived();
    assert.ok(looks >= 12, `it was looked at ${looks} times`);
    assert.deepEqual(said().slice(0, 2), ['no file matches the pattern', 'it is empty']);
  });

  it('is complete as soon as a file says so in each folder, however new it is', async t => {
    const missing: string[] = [];
    const { wait, folder } = await waitIn(
      t,
      { inputs: ['*/a.csv'], readyFile: '_SUCCESS', stableMs: FOREVER * 1000 },
      ({ file }) => {
        missing.push(file);
        return writeFile(file, '');
      },
    );
    for (const name of ['one', 'two']) {
      await mkdir(join(folder, name));
      await writeFile(join(folder, name, 'a.csv'), 'a\n1\n');
    }
    await wait.arrived();
    assert.deepEqual(
      [...new Set(missing)],
      ['one', 'two'].map(name => join(folder, name, '_SUCCESS')),
    );
  });

  it('ends the run with 75 if it is not there in time, and says what is missing and what to do', async t => {
    const { wait } = await waitIn(t, { inputs: ['a.csv'], waitForInput: 0.02 });
    await assert.rejects(wait.arrived(), {
      code: 'input_not_ready',
      exitCode: 75,
      message: /no such file \(waited 1 s\)/,
      hint: /^Try again: run the same command\./,
    });
  });

  it('is read again when it has changed, if it ended too early', async t => {
    const { wait, folder, said } = await waitIn(t, { inputs: ['a.csv'] }, ({ why }, folder) =>
      why === 'cut off' ? writeFile(join(folder, 'a.csv'), 'a\n1\n') : undefined,
    );
    await writeFile(join(folder, 'a.csv'), 'a\n');
    await wait.beforeReading(false);
    await wait.changedAfter(new RowcastError('bad_gzip', 'cut off', { isUnfinished: true }));
    await wait.beforeReading(true);
    assert.deepEqual(said(), [NEW, 'cut off']);
    const other = new RowcastError('bad_header', 'it has no columns');
    await assert.rejects(wait.changedAfter(other), { code: 'bad_header' });
  });

  it('refuses stdin, and a file that is not a name', async t => {
    await assert.rejects(waitIn(t, { inputs: ['a.csv'], readyFile: '../x' }), { code: 'bad_option' });
    const stop = new AbortController().signal;
    assert.throws(() => inputWait({ inputs: ['-'], waitForInput: 1, stop }), { code: 'usage' });
  });
});
