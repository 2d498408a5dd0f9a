import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { scoreDefaults } from '../../../src/base/options/values/run-values.ts';
import { connectReports } from '../../../src/client/protocols/report/report-client.ts';
import { addKey, revokeKey } from '../../../src/server/auth/key-store.ts';
import { startServer } from '../../../src/server/server.ts';
import { trainReport } from '../../../src/training/train.ts';
import { newFolder } from '../../support/folder.ts';
import { score } from '../../support/scoring/score.ts';
import { csv, history, homeWith } from '../../support/service/history.ts';
import { recorded } from '../../support/service/recorded.ts';
import { serving, trainedHome } from '../../support/service/serving.ts';
import { exchange, headOf } from '../../support/service/socket.ts';
import {
  form,
  openUpload,
  readResponse,
  refusal,
  responseHead,
  upload,
  wholeResponse,
} from '../../support/service/upload.ts';
import { files, header, malformed, row } from '../../support/service/uploads.ts';
import { shared } from '../../support/shared.ts';

const rowCountsOf = ({ trailers }: { trailers: NodeJS.Dict<string> }) => trailers['x-rowcast-accounts'];

test('the response is byte for byte what `score` writes, for every kind of CSV', async t => {
  const target = await serving(t);
  const folder = await newFolder(t);
  const client = connectReports({ url: new URL(target.url), key: target.key, name: 'test' });
  t.after(() => client.close());
  for (const [name, file] of files) {
    const [input, output] = [join(folder, 'in.csv'), join(folder, 'out.csv')];
    await writeFile(input, file);
    const options = { ...scoreDefaults, input, output, report: 'one', maxRejects: { percent: 100 } };
    const scored = await score(options, client);
    const { status, body, trailers, isWhole } = await upload(target, file);
    assert.equal(status, 200, name);
    assert.ok(isWhole, name);
    assert.equal(body.toString('latin1'), (await readFile(output)).toString('latin1'), name);
    assert.ok(scored);
    const { read, scored: good, rejected } = scored.rowCounts;
    // Values that the model does not know are counted after the rows.
    const [rows] = (rowCountsOf({ trailers }) ?? '').split(', mismatched=');
    assert.equal(rows, `read=${read}, scored=${good}, rejected=${rejected}`, name);
  }
});

test('the response is the same for text/csv, a form, a gzip body and a gzip response', async t => {
  const target = await serving(t);
  const file = files.get('plain') ?? Buffer.alloc(0);
  const plain = await upload(target, file);
  assert.match(String(plain.body), /,probability_No,probability_Yes\n/);
  const gzip = { 'content-encoding': 'gzip' };
  const parts = (extra: { name: string; value: string }[]) => [
    { name: 'id', value: 'one' },
    ...extra,
    { name: 'file', value: file, filename: 'personas.csv' },
  ];
  const forms = [form(parts([])), form(parts([{ name: 'other', value: 'x' }]))];
  // What curl sends for -F 'file=<personas.csv'.
  forms.push(form(parts([]).map(({ name, value }) => ({ name, value }))));
  const answers = [
    await upload(target, file, { headers: { 'content-type': 'text/csv; charset=utf-8' } }),
    await upload(target, gzipSync(file), { headers: gzip }),
    await upload(target, file, { headers: { 'accept-encoding': 'br, gzip;q=0.8' } }),
    await upload(target, gzipSync(file), { headers: { ...gzip, 'accept-encoding': '*' } }),
  ];
  for (const { body, headers } of forms) {
    answers.push(await upload(target, body, { query: '', headers }));
    answers.push(await upload(target, gzipSync(body), { query: '', headers: { ...headers, ...gzip } }));
  }
  for (const { body, trailers, headers } of answers) {
    assert.equal(String(body), String(plain.body));
    assert.equal(rowCountsOf({ trailers }), 'read=300, scored=300, rejected=0');
    assert.equal(headers.get('vary'), 'accept-encoding');
  }
  assert.deepEqual(
    answers.map(({ headers }) => headers.get('content-encoding')),
    [null, null, 'gzip', 'gzip', null, null, null, null, null, null],
  );
});

test('parts that are merged on the main thread and held back keep their bytes', async t => {
  const target = await serving(t);
  // Line endings of one CR are merged there.
  const rows = Array.from({ length: 30_000 }, (_, index) => `${row},${index}`);
  const { body, isWhole } = await upload(target, [`${header},row`, ...rows, ''].join('\r'));
  const [, ...scored] = body.toString().split('\r').slice(0, -1);
  assert.ok(isWhole);
  assert.equal(scored.length, rows.length);
  for (const [index, own] of rows.entries()) assert.ok(scored[index]?.startsWith(`${own},0`), `row ${index}`);
});

test('a form may arrive in chunks of any size', async t => {
  const target = await serving(t);
  const file = files.get('quoted line endings') ?? Buffer.alloc(0);
  const { body, headers } = form([
    { name: 'id', value: 'one' },
    { name: 'file', value: file, filename: 'a.csv' },
  ]);
  const whole = await upload(target, file);
  for (const size of [1, 7, 64]) {
    const pieces = async function* () {
      for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size);
    };
    const answer = await upload(target, pieces(), { query: '', headers });
    assert.equal(String(answer.body), String(whole.body));
  }
});

/** A form without its end. */
const cutOff = (parts: Parameters<typeof form>[0]) => {
  const { body, headers } = form(parts);
  return { body: body.subarray(0, -30), headers };
};

test('the response is gzip only if the client accepts it', async t => {
  const target = await serving(t);
  for (const encoding of ['identity', 'gzip;q=0', 'br', 'gzip;q=0.1, identity', '']) {
    const { headers } = await upload(target, `${header}\n${row}\n`, {
      headers: { 'accept-encoding': encoding },
    });
    assert.equal(headers.get('content-encoding'), null, encoding);
  }
});

describe('an invalid upload is rejected before any byte of its response', () => {
  const limits = { recordBytes: 1000, columns: 5 };
  const target = shared(suite => serving(suite, { limits, storedKeys: true }));
  const good = `${header}\n${row}\n`;

  for (const [what, csv, expected, detail] of [
    ['empty', '', '400 empty_input', /empty/],
    ['nothing but a BOM', '\ufeff', '400 empty_input', /empty/],
    ['UTF-16', Buffer.from(`\ufeff${good}`, 'utf16le'), '400 bad_header', /line 1: .*UTF-16/],
    ['without its columns', 'a,b\n1,2\n', '422 missing_columns', /line 1: .*3 columns.*monthly amount/],
    ['with other delimiters', good.replaceAll(',', ';'), '422 missing_columns', /columns/],
    ['with duplicate columns', `${header},plan\n`, '422 duplicate_columns', /"plan"/],
    [
      'with the appended columns already there',
      `${header},probability_Yes\n`,
      '422 duplicate_columns',
      /"probability_Yes"/,
    ],
    ['too wide', `${header},a,b,c\n`, '413 too_many_columns', /6 columns; the limit is 5/],
    ['with too long a header', `${header},${'x'.repeat(1000)}\n`, '400 bad_header', /1,000 bytes/],
    [
      'with too long a record',
      `${good}1,${'x'.repeat(1000)},1\n`,
      '413 record_too_long',
      /line 3: .*1,000 bytes/,
    ],
    ['with an unclosed quote', `${good}\n1,"x\n${row}\n`, '400 unclosed_quote', /line 4: /],
  ] as const)
    it(`that is ${what}`, async () => {
      const answer = await upload(target(), csv);
      assert.equal(refusal(answer), expected);
      assert.match(JSON.parse(String(answer.body)).detail, detail);
    });

  const csvPart = { name: 'file', value: good, filename: 'a.csv' };
  const id = { name: 'id', value: 'one' };
  for (const [what, { body, headers }, detail] of [
    ['without a file', form([id]), /no "file"/],
    ['whose id comes after its file', form([csvPart, id]), /before its "file"/],
    ['without an id', form([csvPart]), /before its "file"/],
    ['with two ids', form([id, id, csvPart]), /one "id"/],
    ['with two files', form([id, csvPart, csvPart]), /one "file"/],
    ['that is truncated', cutOff([id, csvPart]), /invalid/],
    ['that is truncated after its file', cutOff([id, csvPart, { name: 'more', value: '' }]), /invalid/],
    [
      'without its end',
      { ...form([id, csvPart]), body: form([id, csvPart]).body.subarray(0, -6) },
      /invalid/,
    ],
    ['that is not a form', { ...form([]), body: Buffer.from('id=one') }, /invalid/],
    ['without a boundary', { ...form([id]), headers: { 'content-type': 'multipart/form-data' } }, /oundary/],
  ] as const)
    it(`as a form ${what}`, async () => {
      const answer = await upload(target(), body, { query: '', headers });
      assert.equal(refusal(answer), '400 malformed');
      assert.match(JSON.parse(String(answer.body)).detail, detail);
    });

  for (const [what, options, expected] of [
    ['for no report', { query: '' }, '400 malformed'],
    ['for two reports', { query: '?id=one&id=two' }, '400 malformed'],
    ['for an invalid id', { query: '?id=..%2Fone' }, '400 bad_report_id'],
    ['for a missing report', { query: '?id=three' }, '404 no_such_report'],
    ['without a type', { headers: { 'content-type': '' } }, '415 unsupported_media_type'],
    ['of another type', { headers: { 'content-type': 'application/json' } }, '415 unsupported_media_type'],
    ['in another content coding', { headers: { 'content-encoding': 'br' } }, '415 unsupported_encoding'],
    ['in gzip, according to its header only', { headers: { 'content-encoding': 'gzip' } }, '400 malformed'],
    ['with a wrong key', { headers: { authorization: 'ApiKey wrong' } }, '401 unauthorized'],
  ] as const)
    it(what, async () => {
      assert.equal(refusal(await upload(target(), good, options)), expected);
    });

  it('for a report that its key may not use', async t => {
    const key = await addKey(await trainedHome(), 'only-two', { reports: ['two'] });
    t.after(async () => revokeKey(await trainedHome(), 'only-two'));
    assert.equal(refusal(await upload({ ...target(), key }, good)), '404 no_such_report');
    assert.equal((await upload({ ...target(), key }, good, { query: '?id=two' })).status, 200);
  });

  it('without a body', async () => {
    const request = headOf('POST /user/batch-predict?id=one', target(), 'connection: close');
    const response = await exchange(target().url, request);
    assert.match(response, /415 Unsupported Media Type[\s\S]*"unsupported_media_type"/);
  });

  it('over HTTP/1.0, whose responses could be truncated unnoticed', async () => {
    const headers = ['content-type: text/csv', `content-length: ${good.length}`];
    const head = headOf('POST /user/batch-predict?id=one', target(), ...headers).replace(
      'HTTP/1.1',
      'HTTP/1.0',
    );
    assert.match(await exchange(target().url, head + good), /^HTTP\/1\.1 505 [\s\S]*"http_version"/);
  });
});

describe('a failure after the first rows aborts the response', () => {
  const many = `${header}\n${`${row}\n`.repeat(50_000)}`;
  const id = { name: 'id', value: 'one' };
  const file = { name: 'file', value: many, filename: 'a.csv' };
  for (const [what, csv, options, reason] of [
    ['an unclosed quote', `${many}1,"x`, {}, /aborted: line 50002: .*not closed/],
    [
      'a record too long',
      `${many}1,${'x'.repeat(2 << 20)},1\n`,
      {},
      /aborted: line 50002: .*longer than 1,048,576 bytes/,
    ],
    [
      'truncated gzip',
      gzipSync(many, { level: 0 }).subarray(0, -9),
      { headers: { 'content-encoding': 'gzip' } },
      /aborted: The body is not valid gzip/,
    ],
    [
      'a truncated form',
      cutOff([id, file]).body,
      { query: '', headers: form([]).headers },
      /aborted: The form is invalid: Unexpected end of multipart data/,
    ],
    [
      'a second file',
      form([id, file, file]).body,
      { query: '', headers: form([]).headers },
      /aborted: The form must have exactly one \\"file/,
    ],
  ] as const)
    it(what, async t => {
      const { log, text } = recorded();
      const target = await serving(t, { log });
      const { status, isWhole, trailers } = await upload(target, csv, options);
      assert.deepEqual([status, isWhole, rowCountsOf({ trailers })], [200, false, undefined]);
      assert.match(text(), reason);
      assert.match(text(), /"status":"gone"/);
    });
});

test('a form that is truncated after its file has its response aborted', async t => {
  const target = await serving(t);
  const { body, headers } = form([
    { name: 'id', value: 'one' },
    { name: 'file', value: `${header}\n${`${row}\n`.repeat(5000)}` },
    { name: 'more', value: '' },
  ]);
  const opened = openUpload(target, { query: '', headers });
  opened.write(body.subarray(0, -30));
  const response = await responseHead(opened);
  let lines = 0;
  for await (const chunk of response.iterator({ destroyOnReturn: false })) {
    lines += String(chunk).split('\n').length - 1;
    if (lines === 5001) break;
  }
  opened.end();
  assert.equal((await readResponse(response)).isWhole, false);
});

test('an upload may take any time, but not stall', async t => {
  const target = await serving(t, { limits: { bodyMs: 50, headersMs: 1000, idleMs: 2000 } });
  const slow = openUpload(target);
  const answer = wholeResponse(slow);
  slow.write(`${header}\n`);
  // Longer than the idle timeout and the JSON body timeout in total, but never idle for that long.
  for (let i = 0; i < 5; i++)
    await new Promise<void>(done => setTimeout(() => slow.write(`${row}\n`, () => done()), 500));
  slow.end();
  assert.equal(rowCountsOf(await answer), 'read=5, scored=5, rejected=0');
  const silent = openUpload(target);
  silent.write(`${header}\n`);
  const [error] = await once(silent, 'error');
  assert.match(String(error), /socket hang up|ECONNRESET/);
});

test('an upload whose connection breaks during the key lookup takes no upload slot', async t => {
  const target = await serving(t, { storedKeys: true, limits: { uploads: 2 } });
  for (let i = 0; i < 5; i++) {
    const headers = ['content-type: text/csv', 'transfer-encoding: chunked'];
    const head = headOf('POST /user/batch-predict?id=two', target, ...headers);
    assert.match(await exchange(target.url, `${head}no chunk\r\n`), /^HTTP\/1\.1 400 /);
  }
  assert.equal((await upload(target, `${header}\n${row}\n`)).status, 200);
});

test('a service that shuts down aborts uploads at the end of its grace period', async () => {
  const home = await trainedHome();
  const service = await startServer({ home, host: '127.0.0.1', port: 0, key: 'k' });
  const opened = openUpload({ url: service.url, key: 'k' });
  opened.write(`${header}\n${`${row}\n`.repeat(5000)}`);
  const answer = wholeResponse(opened);
  await once(opened, 'response');
  await service.close(200);
  assert.equal((await answer).isWhole, false);
});

test('an upload uses one version of the report, even if it is retrained meanwhile', async t => {
  const { home, historyFile } = await homeWith(history({ rows: 100 }));
  t.after(() => rm(home, { recursive: true }));
  const trained = { historyFile, predict: 'outcome', home, id: 'one' };
  await trainReport({ ...trained, ifExists: 'replace' });
  const target = await serving(t, { home });
  const whole = await upload(target, `${header}\n${`${row}\n`.repeat(6000)}`);
  const opened = openUpload(target);
  opened.write(`${header}\n${`${row}\n`.repeat(5000)}`);
  const answer = wholeResponse(opened);
  await once(opened, 'response');
  await writeFile(historyFile, csv(history({ rows: 200, seed: 9 })));
  await trainReport({ ...trained, ifExists: 'replace' });
  const other = await upload(target, `${header}\n${`${row}\n`.repeat(6000)}`);
  assert.notEqual(String(other.body), String(whole.body));
  opened.end(`${row}\n`.repeat(1000));
  assert.equal(String((await answer).body), String(whole.body));
});

test('rows of an upload count as scored personas', async t => {
  const target = await serving(t, { metrics: true });
  await upload(target, `${header}\n${`${row}\n`.repeat(5)}${malformed}\n`);
  const metrics = await (await fetch(`${target.url}/metrics`)).text();
  assert.match(metrics, /^rowcast_personas_scored_total 5$/m);
  assert.match(metrics, /route="\/user\/batch-predict",status="200"/);
});
