import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { newFolder } from '../support/folder.ts';

/** Opens a file in a process without free descriptors, and returns the result. */
async function openWithoutDescriptors(path: string, isFreed: boolean): Promise<string> {
  const module = JSON.stringify(new URL('../../src/storage/durable-files.js', import.meta.url));
  const script = `import { openSync, closeSync } from 'node:fs';
    const { diskFiles } = await import(${module});
    const first = await diskFiles.open(${JSON.stringify(join(path, '..', 'first'))}, 0o600);
    const taken = [];
    try { for (;;) taken.push(openSync('/dev/null')); } catch {}
    if (${isFreed}) setTimeout(() => taken.splice(0, 5).forEach(closeSync), 100);
    const said = await diskFiles.open(${JSON.stringify(path)}, 0o600).then(() => 'opened', error => error.message);
    closeSync(taken.at(-1)); console.log(said); await first.close();`;
  // Measuring coverage would need a file of its own; Node passes the variable on unless it is set.
  const env = { PATH: process.env.PATH, NODE_V8_COVERAGE: '' };
  const limited = ['-c', 'ulimit -n 64; exec "$0" --input-type=module -e "$1"', process.execPath, script];
  return (await promisify(execFile)('bash', limited, { env })).stdout.trim();
}

describe('a file that is opened when there is no descriptor left', { concurrency: true }, () => {
  it('is opened as soon as one is free', async t => {
    assert.equal(await openWithoutDescriptors(join(await newFolder(t), 'file'), true), 'opened');
  });

  it('fails after a while with an error that names the limit', async t => {
    const said = await openWithoutDescriptors(join(await newFolder(t), 'file'), false);
    assert.equal(said, 'EMFILE: this process has too many open files; its limit is 64 (ulimit -n)');
  });
});
