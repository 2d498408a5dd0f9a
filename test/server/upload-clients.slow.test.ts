import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { readdir, readFile, readlink, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { test } from 'node:test';
import { newFolder } from '../support/folder.ts';
import type { Target } from '../support/service/client.ts';
import { recorded } from '../support/service/recorded.ts';
import { serving } from '../support/service/serving.ts';
import {
  form,
  openUpload,
  readResponse,
  responseHead,
  type UploadOptions,
} from '../support/service/upload.ts';
import { wide } from '../support/service/uploads.ts';
import { until } from '../support/until.ts';

/** 50 MB: more than the socket buffers of both sides hold. */
const ROWS = 50_000;
const accounts = `read=${ROWS}, scored=${ROWS}, rejected=0`;

/** Checks that a scored file is that of `wide.rows`. */
function checkScored(text: string): void {
  const [head, first = '', ...others] = text.split('\n');
  assert.equal(head, `${wide.header},probability_No,probability_Yes`);
  assert.ok(first.startsWith(`${wide.row},`));
  assert.equal(others.pop(), '');
  assert.equal(others.length, ROWS - 1);
  assert.ok(others.every(line => line === first));
}

/** Bytes of disk that this process holds in deleted files. */
async function spilled(): Promise<number> {
  let bytes = 0;
  for (const fd of await readdir('/proc/self/fd')) {
    const path = `/proc/self/fd/${fd}`;
    const target = await readlink(path).catch(() => '');
    if (/\/\.spill-[0-9a-f]+ \(deleted\)$/.test(target)) bytes += (await stat(path)).size;
  }
  return bytes;
}

/** An upload whose response is never read. */
const unread = (target: Target, options?: UploadOptions) =>
  openUpload(target, options)
    .on('error', () => {})
    .on('response', () => {});

const inProc = {
  skip: process.platform === 'linux' ? false : 'this system has no /proc',
  timeout: 300_000,
};

test(
  'a client that sends everything before it reads gets the whole response, buffered on disk',
  inProc,
  async t => {
    const target = await serving(t);
    const opened = openUpload(target);
    const response = responseHead(opened);
    await pipeline(Readable.from(wide.rows(ROWS)), opened);
    assert.ok((await spilled()) > 1 << 20);
    const { isWhole, body, trailers } = await readResponse(await response);
    assert.ok(isWhole);
    assert.equal(trailers['x-rowcast-accounts'], accounts);
    checkScored(String(body));
    await until(async () => (await spilled()) === 0);
  },
);

for (const [what, options, rows] of [
  ['a file', {}, wide.rows(ROWS)],
  ['a form', { query: '', headers: form([]).headers }, beginningOfForm(wide.rows(ROWS))],
] as const)
  test(`a client that disconnects while it sends ${what} leaves nothing on the disk`, inProc, async t => {
    const { log, text } = recorded();
    const target = await serving(t, { log });
    const opened = unread(target, options);
    await pipeline(Readable.from(rows), opened, { end: false });
    // Everything was read, and the service waits for more.
    for (let before = 0, now = -1; before === 0 || now !== before; now = await spilled()) {
      before = await spilled();
      await new Promise(done => setTimeout(done, 300));
    }
    // The garbage collector eventually closes an unclosed file, with a warning.
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    opened.destroy();
    await until(async () => (await spilled()) === 0);
    await until(() => /"status":"gone"/.test(text()));
    process.off('warning', onWarning);
    assert.deepEqual(warnings, []);
    assert.doesNotMatch(text(), /request failed|aborted/);
  });

/** A form up to the end of its file, generated while it is read. */
async function* beginningOfForm(file: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const mark = 'file not sent yet';
  const { body } = form([
    { name: 'id', value: 'one' },
    { name: 'file', value: mark },
  ]);
  yield body.subarray(0, body.indexOf(mark));
  yield* file;
}

test('a client that never reads is aborted some time after its disk share is full', {
  timeout: 300_000,
}, async t => {
  const { log, text } = recorded();
  const limits = { spillBytes: 1 << 20, spillMs: 50, idleMs: 10_000 };
  const target = await serving(t, { log, limits });
  const opened = unread(target);
  await assert.rejects(pipeline(Readable.from(wide.rows(10 * ROWS)), opened));
  await until(() => /"status":"gone"/.test(text()));
  assert.match(text(), /the client is not reading: 1048576 bytes of its response are buffered on disk/);
});

test('a client that does not read is aborted as soon as its response fails', {
  timeout: 60_000,
}, async t => {
  const { log, text } = recorded();
  // Otherwise it would be dropped for inactivity only after two minutes.
  const target = await serving(t, { log, limits: { spillMs: 50, recordBytes: 10_000 } });
  async function* failing(): AsyncGenerator<Buffer> {
    yield* wide.rows(ROWS);
    for (;;) yield Buffer.alloc(100_000, 'x');
  }
  await assert.rejects(pipeline(Readable.from(failing()), unread(target)));
  await until(() => /"status":"gone"/.test(text()));
  assert.equal(text().match(/response aborted: .*longer than/g)?.length, 1, text());
});

test('a client that disconnects before its upload is read is not a failure', {
  timeout: 300_000,
}, async t => {
  const { log, text } = recorded();
  const target = await serving(t, { log });
  const opened = openUpload(target).on('error', () => {});
  opened.write(wide.header);
  await once(opened, 'socket');
  await new Promise<void>(done => opened.write('\n', () => done()));
  opened.destroy();
  await until(() => /"status":"gone"/.test(text()));
  assert.doesNotMatch(text(), /request failed/);
});

const noCurl = spawnSync('curl', ['--version']).status === 0 ? false : 'curl is not installed';

test('curl sends a form and reads at the same time', { skip: noCurl }, async t => {
  const { url, key } = await serving(t);
  const folder = await newFolder(t);
  const [path, out] = [await fileOfRows(folder), join(folder, 'out.csv')];
  const headers = ['-H', `Authorization: ApiKey ${key}`, '-D', '-', '-o', out];
  const words = ['-sS', '--compressed', ...headers, '-F', 'id=one', '-F', `file=@${path}`];
  const child = spawn('curl', [...words, `${url}/user/batch-predict`]);
  const [chunks, end] = await Promise.all([child.stdout.toArray(), once(child, 'close')]);
  assert.deepEqual(end, [0, null]);
  const said = chunks.join('');
  assert.match(said, /^trailer: x-rowcast-accounts\r$/im);
  assert.ok(said.includes(`x-rowcast-accounts: ${accounts}\r\n`));
  checkScored(await readFile(out, 'utf8'));
});

test("Node's fetch, with a form and with a stream, gets the whole response", async t => {
  const target = await serving(t);
  const body = new FormData();
  body.set('id', 'one');
  body.set('file', new Blob(await Readable.from(wide.rows(ROWS)).toArray()), 'personas.csv');
  checkScored(await (await fetchWith(target, '', { body })).text());
  const stream = Readable.toWeb(createReadStream(await fileOfRows(await newFolder(t))));
  const headers = { 'content-type': 'text/csv' };
  checkScored(await (await fetchWith(target, '?id=one', { body: stream, duplex: 'half', headers })).text());
});

function fetchWith({ url, key }: Target, query: string, init: RequestInit): Promise<Response> {
  const headers = { ...init.headers, authorization: `ApiKey ${key}` };
  return fetch(`${url}/user/batch-predict${query}`, { ...init, method: 'POST', headers });
}

async function fileOfRows(folder: string): Promise<string> {
  const path = join(folder, 'in.csv');
  await writeFile(path, wide.rows(ROWS));
  return path;
}
