import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { commandsIn } from '../support/cli/commands.ts';
import { exits, type Finished } from '../support/rowcast.ts';
import { endless, nested, type SentBytes, startRaw, whole } from '../support/stub/raw.ts';
import { send, startStub } from '../support/stub/service.ts';

const ROWS = 1000;
const rows = `id,plan\n${Array.from({ length: ROWS }, (_, row) => `${row},plan ${row}\n`).join('')}`;
const report = '{"tech_specs":{},"drivers":[]}';
const GIGABYTE = 2 ** 30;
/** Limit on the peak memory of such a run: its own needs, and a few responses of the maximum size. */
const MAX_PEAK_BYTES = 700e6;

/** A gigabyte of incomplete JSON. */
function* gigabyte(headers: string, frame: (chunk: Buffer) => (string | Buffer)[]): SentBytes {
  yield `HTTP/1.1 200 OK\r\n${headers}\r\n\r\n`;
  yield* frame(Buffer.from('{"predictions":['));
  const chunk = Buffer.alloc(64 << 10, ' ');
  for (let sent = 0; sent < GIGABYTE; sent += chunk.length) yield* frame(chunk);
}

const chunked = (): SentBytes =>
  gigabyte('transfer-encoding: chunked', chunk => [`${chunk.length.toString(16)}\r\n`, chunk, '\r\n']);

const classes = (count: number): string =>
  Array.from({ length: count }, (_, name) => `"${name.toString(36)}"`).join(',');

/** The result of a run of a thousand rows, and its peak memory. */
async function scored(
  t: TestContext,
  { asked, sent }: { asked: 'report' | 'batch'; sent: () => SentBytes },
): Promise<Finished & { peak: number }> {
  const url = await startRaw(t, request =>
    request.startsWith('GET') === (asked === 'report') ? sent() : whole(report),
  );
  const { start, path, read } = await commandsIn(t, {
    'peak.mjs': `import { writeFileSync } from 'node:fs';
     process.on('exit', () => writeFileSync('peak', String(process.resourceUsage().maxRSS)));`,
  });
  const recorder = `--import=${pathToFileURL(path('peak.mjs'))}`;
  const env = { ROWCAST_API_KEY: 'a-key-that-is-sent', NODE_OPTIONS: recorder };
  const finished = await start(`score --report r --url ${url}`, { env, stdin: rows }).finished;
  return { ...finished, peak: Number(await read('peak')) * 1024 };
}

describe('a hostile response stops the run with a clear error', { concurrency: 1 }, () => {
  const cases: { what: string; asked?: 'report'; sent: () => SentBytes; code?: 2 | 3; says: RegExp }[] = [
    {
      what: 'a gigabyte without content-length',
      sent: chunked,
      code: 2,
      says: /exceeds the limit of [\d,]+ bytes \[answer_too_large\]/,
    },
    {
      what: 'a gigabyte with content-length',
      sent: () => gigabyte(`content-length: ${GIGABYTE + 16}`, chunk => [chunk]),
      code: 2,
      says: /\[answer_too_large\]/,
    },
    {
      what: 'a report of one gigabyte',
      asked: 'report',
      sent: chunked,
      code: 2,
      says: /\[answer_too_large\]/,
    },
    {
      what: '256 MiB, compressed to 256 KiB',
      sent: () => whole(gzipSync(Buffer.alloc(256 << 20)), { headers: 'content-encoding: gzip\r\n' }),
      says: /compressed, although compression was not requested \[encoded_answer\]/,
    },
    {
      what: 'an endless header',
      sent: () => endless('HTTP/1.1 200 OK\r\nx: ', 'a'.repeat(64 << 10)),
      says: /\[headers_too_large\]/,
    },
    {
      what: '10 MiB of nested lists',
      sent: () => whole('['.repeat(10 << 20)),
      says: /nested too deeply \[wrong_answer\]/,
    },
    {
      what: 'a report of a million nested lists',
      asked: 'report',
      sent: () => whole(`{"tech_specs":{"a":${nested(1 << 20)}},"drivers":[]}`),
      says: /nested too deeply \[wrong_answer\]/,
    },
    {
      what: 'a report with half a million classes',
      asked: 'report',
      sent: () => whole(`{"tech_specs":{},"drivers":[],"classes":[${classes(500_000)}]}`),
      says: /invalid report: classes has more than 1000 members/,
    },
    {
      what: 'a hundred thousand classes for each of a thousand rows',
      sent: () => {
        const first = `{"probabilities":{${classes(100_000).replaceAll(',', ':0,')}:1}}`;
        return whole(`{"predictions":[${first}${',{"error":{}}'.repeat(ROWS - 1)}]}`);
      },
      says: /100,000 classes; the limit is 1,000 .*\[wrong_answer\]/,
    },
    { what: 'null', sent: () => whole('null'), says: /no list "predictions" \[wrong_answer\]/ },
    { what: 'null for a report', asked: 'report', sent: () => whole('null'), says: /invalid report/ },
  ];
  for (const { what, asked = 'batch', sent, code = 3, says } of cases)
    it(what, { timeout: 60_000 }, async t => {
      const finished = await exits(scored(t, { asked, sent }), code, says);
      assert.doesNotMatch(finished.stderr, /unexpected error|Warning|\.js:\d/);
      assert.equal(finished.stdout.length, 0);
      t.diagnostic(`peak ${Math.round(finished.peak / 1e6)} MB`);
      assert.ok(finished.peak < MAX_PEAK_BYTES, `${Math.round(finished.peak / 1e6)} MB`);
    });
});

it('reject codes may be the names of members that every object inherits', async t => {
  const codes = ['constructor', '__proto__', 'constructor', 'toString'];
  const stub = await startStub(t, {
    behave({ response, defaultResponse }) {
      const errors = codes.map(code => ({ error: { code, message: 'no' } }));
      send(response, 200, { predictions: [...errors, ...defaultResponse.predictions.slice(codes.length)] });
      return true;
    },
  });
  const { run, jsonIn } = await commandsIn(t, {}, stub.env);
  await exits(run('score --report r -o out.csv --summary summary.json', { stdin: rows }), 1);
  const summary = await jsonIn('summary.json');
  assert.deepEqual(summary.rows, {
    read: ROWS,
    scored: ROWS - 4,
    rejected: 4,
    rejected_by: { constructor: 2, error: 1, toString: 1 },
  });
});
