// Sends 1 GB to batch-predict, with a client that reads while sending and one that sends everything first, and prints
// the peak memory of the service.
//   node dist/test/bench/batch-predict.js

import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GIGABYTE, peakOf } from '../crash/memory.ts';
import { root } from '../support/root.ts';
import { rowcast, spawnRowcast } from '../support/rowcast.ts';
import { openUpload, responseHead } from '../support/service/upload.ts';

/** The goal: the flat memory of docs/design.md (G5), for a service that also holds a model and its engine. */
const MAX_BYTES = 400_000_000;
const key = 'key-of-the-bench';
const folder = await mkdtemp(join(tmpdir(), 'rowcast-bench-'));
const env = { ROWCAST_HOME: folder, ROWCAST_API_KEY: key };
try {
  await rowcast(['train', 'fixtures/telecom-history.csv', '--predict', 'churned', '--report', 'churn'], {
    env,
  });
  for (const readsMeanwhile of [true, false]) await measure(readsMeanwhile);
} finally {
  await rm(folder, { recursive: true });
}

async function measure(readsMeanwhile: boolean): Promise<void> {
  const child = spawnRowcast(['serve', '--port', '0'], { env });
  const ended = once(child, 'exit');
  const url = await urlOf(child.stderr);
  const begun = performance.now();
  const upload = openUpload({ url, key }, { query: '?id=churn' });
  const answer = responseHead(upload);
  const sent = pipeline(Readable.from(await telecomRows(GIGABYTE), { highWaterMark: 1 }), upload);
  if (!readsMeanwhile) await sent;
  const sentAt = seconds(begun);
  const response = await answer;
  let received = 0;
  for await (const chunk of response) received += chunk.length;
  await sent;
  const accounts = response.trailers['x-rowcast-accounts'];
  const peak = await peakOf(child.pid);
  child.kill();
  await ended;
  const how = readsMeanwhile ? 'reads while sending' : `has sent all after ${sentAt} s, then reads`;
  process.stdout.write(
    `a client that ${how}: ${accounts}; ${(received / 1e6).toFixed(0)} MB back in ${seconds(begun)} s; ` +
      `the service's peak ${Math.round(peak / 1e6)} MB\n`,
  );
  if (!response.complete || accounts === undefined || !(peak < MAX_BYTES)) process.exitCode = 1;
}

function seconds(begun: number): number {
  return Math.round((performance.now() - begun) / 1000);
}

async function urlOf(stderr: Readable): Promise<string> {
  for await (const line of createInterface({ input: stderr })) {
    const [url] = /http:\/\/\S+/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error('the service has not printed its address');
}

/** This many bytes of the fixture's customers, each with a 400-byte column that no report has. */
async function telecomRows(bytes: number): Promise<Generator<Buffer>> {
  const text = await readFile(join(root, 'fixtures/telecom-personas.csv'), 'utf8');
  const [header, ...lines] = text.split('\n').filter(line => line !== '' && !line.includes('"'));
  const width = header?.split(',').length;
  const rows = lines.filter(line => line.split(',').length === width);
  const chunk = Buffer.from(rows.map(line => `${line},${'x'.repeat(400)}\n`).join(''));
  return (function* () {
    yield Buffer.from(`${header},text\n`);
    for (let at = 0; at < bytes; at += chunk.length) yield chunk;
  })();
}
