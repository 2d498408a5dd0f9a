import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { root } from '../../support/root.ts';
import { bench, csv } from '../bench.ts';

const library = pathToFileURL(join(root, 'dist/library/index.js')).href;

/** What each program has; `rows` never ends, `half` fails. */
const preamble = `
import { PassThrough, Readable, Writable } from 'node:stream';
import { Client, score, scoreStream } from '${library}';
const text = ${JSON.stringify(csv(300))};
async function* rows() { yield Buffer.from(text); await new Promise(() => {}); }
async function* half() { yield Buffer.from(text); throw new Error('gone'); }
async function* endless() { yield Buffer.from(text); for (;;) yield Buffer.from(text.slice(10)); }
const scorer = new Client({ url: process.env.URL, key: process.env.KEY });
const stop = new AbortController();
const { signal } = stop;
const run = { report: 'r', scorer, signal };
const end = async work => { const code = await work.then(() => 'done', error => error.code); await scorer.close(); console.log(code); };
`;

const programs: Readonly<Record<string, [program: string, code: string]>> = {
  'has finished': [
    `end(score({ ...run, input: Readable.from([Buffer.from(text)]), output: 'a.csv' }))`,
    'done',
  ],
  'is refused': [`end(score({ ...run, input: rows(), output: '/dev/null/a.csv' }))`, 'unwritable_output'],
  'is aborted while its input hangs': [
    `end(score({ ...run, input: Readable.from(rows()), output: 'b.csv', onProgress: () => stop.abort() }))`,
    'interrupted',
  ],
  'has an input that fails': [`end(score({ ...run, input: half(), output: 'c.csv' }))`, 'unreadable_input'],
  'has an output that fails': [
    `end(score({ ...run, input: endless(), output: new Writable({ write: (_, __, done) => done(new Error('full')) }) }))`,
    'unwritable_output',
  ],
  'has an output that is closed and never called back': [
    `const output = new Writable({ write: () => setImmediate(() => output.destroy()) });
     end(score({ ...run, input: endless(), output }))`,
    'unwritable_output',
  ],
  'writes to a stream that is left early': [
    `const scored = scoreStream({ ...run, input: endless() });
     for await (const _ of scored) break;
     end(scored.summary)`,
    'interrupted',
  ],
};

describe('a program', { timeout: 120_000 }, () => {
  for (const [what, [program, code]] of Object.entries(programs))
    it(`whose run ${what} exits by itself, and leaves no output that looks complete`, async t => {
      const { stub, folder } = await bench(t);
      const child = spawn(process.execPath, ['--input-type=module', '-e', preamble + program], {
        cwd: folder,
        env: { URL: stub.url, KEY: stub.key },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      t.after(() => child.kill());
      const [said, [exit]] = await Promise.all([textOf(child.stdout), once(child, 'close')]);
      assert.deepEqual([said, exit], [`${code}\n`, 0]);
      const isThere = (await readdir(folder)).some(name => name.endsWith('.csv') && name !== 'in.csv');
      assert.equal(isThere, code === 'done');
    });
});
