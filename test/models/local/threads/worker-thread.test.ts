import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { promisify } from 'node:util';
import { newFolder } from '../../../support/folder.ts';

const module = (name: string): string =>
  JSON.stringify(new URL(`../../../../src/models/local/threads/${name}.js`, import.meta.url));

it('a thread that is ended while its answer arrives still ends before the process', async t => {
  const folder = await newFolder(t);
  await writeFile(
    join(folder, 'echo.mjs'),
    `import { answerRequests } from ${module('worker-thread')};
answerRequests(async request => ({ result: request }));
`,
  );
  await writeFile(
    join(folder, 'program.mjs'),
    `import { WorkerThread } from ${module('worker-thread')};
const thread = new WorkerThread({ file: new URL('./echo.mjs', import.meta.url), name: 'thread' });
await thread.ask(1);
void thread.ask(2);
// The answer is here, and is received after end() was called.
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
await thread.end();
console.log('ended');
`,
  );
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'program.mjs')]);
  assert.equal(stdout, 'ended\n');
});
