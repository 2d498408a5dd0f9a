import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { RowcastError } from '../../src/base/errors.ts';
import { describeFailure } from '../../src/cli/failure-text.ts';
import { exitCodeOf } from '../../src/runs/exit-code.ts';
import { CallError } from '../../src/scoring/failures/call-error.ts';
import { unwritable } from '../../src/storage/target.ts';
import { newFolder } from '../support/folder.ts';
import { bin, rowcast } from '../support/rowcast.ts';
import { slow } from '../support/slow.ts';
import { connect } from '../support/stub/connect.ts';

describe('a failure', () => {
  it('has the exit code of its severity; an unexpected error is a bug', () => {
    const refused = new RowcastError('x', 'x');
    assert.equal(exitCodeOf(refused), 2);
    assert.equal(exitCodeOf(refused.duringRun()), 3);
    assert.equal(exitCodeOf(new RowcastError('x', 'x', { severity: 'unbalanced' }).duringRun()), 4);
    assert.equal(exitCodeOf(new RowcastError('x', 'x', { severity: 'temporary' }).duringRun()), 75);
    assert.equal(exitCodeOf(new TypeError('x')), 70);
    assert.equal(exitCodeOf('x'), 70);
  });

  it('is retryable if the same command may succeed later', () => {
    const unavailable = new CallError('unavailable', 'x', 'x', { location: {} });
    const wrongKey = new CallError('fatal', 'x', 'x', { location: {} });
    assert.deepEqual([unavailable.retryable, unavailable.exitCode], [true, 75]);
    assert.deepEqual([wrongKey.retryable, wrongKey.exitCode], [false, 2]);
    assert.equal(unwritable('out.csv', systemError('ENOSPC')).code, 'disk_full');
    assert.equal(unwritable('out.csv', systemError('ENOSPC')).exitCode, 75);
    assert.equal(unwritable('out.csv', systemError('EACCES'), 'stopped').exitCode, 3);
  });

  it('is reported with its location, then what to do', () => {
    const place = { file: 'in.csv', line: 17, row: 16 };
    const malformed = new RowcastError('too_many_fields', '4 fields, not 3.', {
      location: place,
      hint: 'Correct it.',
    });
    assert.equal(
      describeFailure(malformed),
      'rowcast: in.csv:17: 4 fields, not 3 [too_many_fields]\n  Row 16. Correct it.\n',
    );
    const call = new CallError('unavailable', 'busy', 'responded with 503', {
      location: { request: 'POST http://x/y' },
    });
    assert.equal(
      describeFailure(call.addLocation(place)),
      'rowcast: responded with 503 [busy]\n  Rows of in.csv from 16 on are not scored. Request: POST http://x/y.\n',
    );
    assert.equal(describeFailure(new RowcastError('x', 'no')), 'rowcast: no [x]\n');
  });

  it('that is unexpected is reported with its stack', () => {
    assert.match(describeFailure(new TypeError('a bug')), /please report it: TypeError: a bug\n {4}at /);
  });
});

const systemError = (code: string): Error => Object.assign(new Error(`${code}: no, write`), { code });

describe('the command', { concurrency: true }, () => {
  it('exits with 0 when the reader of its stdout closes its end', async t => {
    const folder = await newFolder(t);
    const input = join(folder, 'in.csv');
    await writeFile(input, `a,b\n${'1,2\n'.repeat(300_000)}`);
    const { stub } = await connect(t);
    const child = spawn(process.execPath, [bin, 'score', input, '--report', 'r'], {
      env: { PATH: process.env.PATH, ROWCAST_URL: stub.url, ROWCAST_API_KEY: stub.key },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const head = spawn('head', ['-n', '3'], { stdio: [child.stdout, 'pipe', 'inherit'] });
    child.stdout.destroy();
    const [lines, errors, [code]] = await Promise.all([
      text(head.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    assert.equal(code, 0, errors);
    assert.match(lines, /^a,b,probability_no,probability_yes\n(1,2,[\d.]+,[\d.]+\n){2}$/);
    assert.equal(errors.match(/\n/g)?.length, 1, errors);
  });

  it('exits with 2 if its working directory was removed, for which Node itself would exit with 1', async t => {
    const cwd = join(await newFolder(t), 'gone');
    await mkdir(cwd);
    const words = ['-c', 'rmdir "$PWD" && exec "$@"', 'sh', process.execPath, bin, 'reports'];
    const child = spawn('sh', words, { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
    const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
    assert.equal(code, 2, errors);
    assert.match(errors, /^rowcast: the working directory .*\[no_working_directory\]\n/);
  });

  for (const [what, bug] of [
    ['is thrown before its modules are loaded', `process.nextTick(() => { throw new Error('boom'); })`],
    ['is thrown later', `setTimeout(() => { throw new Error('boom'); }, 0)`],
    ['rejects a promise that nobody awaits', `setTimeout(() => void Promise.reject(new Error('boom')), 0)`],
  ])
    (what?.startsWith('is') ? slow : it)(
      `exits with 70 if a bug ${what}, for which Node itself would exit with 1`,
      async () => {
        const preload = `process.once('newListener', () => { ${bug} })`;
        const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload)}` };
        const { code, stderr } = await rowcast(['serve', '--port', '0'], { env });
        assert.match(stderr, /boom/);
        assert.equal(code, 70, stderr);
      },
    );
});
