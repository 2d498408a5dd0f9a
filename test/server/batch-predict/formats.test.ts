import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { newFolder } from '../../support/folder.ts';
import { exits, rowcast } from '../../support/in-process.ts';
import { parquetOf } from '../../support/parquet.ts';
import { serving, trainedHome } from '../../support/service/serving.ts';
import { form, refusal, upload } from '../../support/service/upload.ts';
import { slow } from '../../support/slow.ts';

const LINES = 'application/x-ndjson';
const line = (row: number): string =>
  `{"id": ${row}, "monthly amount": ${(row % 50) + 0.5}, "plan": "Basic", "__proto__": ${row % 7}}\n`;
const lines = Array.from({ length: 300 }, (_, row) => line(row)).join('');
const csv = `monthly amount,plan,__proto__\n${'25.5,Basic,3\n'.repeat(20)}`;

const typed = (type: string): { headers: Record<string, string> } => ({ headers: { 'content-type': type } });

/** What `rowcast score` writes for JSON lines. */
async function scored(t: TestContext, text: string): Promise<string> {
  const folder = await newFolder(t);
  const [input, output] = [join(folder, 'in.jsonl'), join(folder, 'out.jsonl')];
  await writeFile(input, text);
  await rowcast(['score', input, '-o', output, '--report', 'one', '--home', await trainedHome()]);
  return readFile(output, 'utf8');
}

const formOf = (value: string | Buffer, filename?: string) => {
  const { body, headers } = form([
    { name: 'id', value: 'one' },
    { name: 'file', value, ...(filename !== undefined && { filename }) },
  ]);
  return { body, options: { query: '', headers } };
};

describe('an upload of JSON lines to the service', () => {
  it('comes back as rowcast score writes it, however its format is told', async t => {
    const target = await serving(t);
    const expected = await scored(t, lines);
    const named = formOf(lines, 'personas.jsonl');
    const nameless = formOf(lines);
    const gzip = { 'content-type': LINES, 'content-encoding': 'gzip', 'accept-encoding': 'gzip' };
    for (const [what, response] of [
      [LINES, await upload(target, lines, typed(LINES))],
      ['jsonl', await upload(target, lines, typed('application/jsonl; charset=utf-8'))],
      ['gzip', await upload(target, gzipSync(lines), { headers: gzip })],
      ['a name', await upload(target, named.body, named.options)],
      ['its bytes', await upload(target, nameless.body, nameless.options)],
    ] as const) {
      assert.equal(response.status, 200, what);
      assert.equal(response.headers.get('content-type'), LINES, what);
      assert.ok(response.isWhole, what);
      assert.equal(String(response.body), expected, what);
      assert.match(response.trailers['x-rowcast-accounts'] ?? '', /^read=300, scored=300, rejected=0/, what);
    }
  });

  it('comes back without the lines that are none, which are counted', async t => {
    const target = await serving(t);
    const { body, trailers } = await upload(target, `${line(1)}{"id": \n\n${line(2)}`, typed(LINES));
    const [first = '', blank, last = ''] = String(body).split('\n');
    assert.deepEqual([JSON.parse(first).id, blank, JSON.parse(last).id], [1, '', 2]);
    assert.match(first, /"probability_No":[\d.]+,"probability_Yes":[\d.]+\}$/);
    assert.match(trailers['x-rowcast-accounts'] ?? '', /^read=3, scored=2, rejected=1/);
  });

  it('is refused if its type says CSV', async t => {
    const target = await serving(t);
    assert.equal(refusal(await upload(target, lines, typed('text/csv'))), '400 unsupported_format');
    const sent = formOf(lines, 'personas.csv');
    assert.equal(refusal(await upload(target, sent.body, sent.options)), '400 unsupported_format');
  });

  it('is refused if it was scored before, or has lines of other formats only', async t => {
    const target = await serving(t);
    const { body } = await upload(target, line(1), typed(LINES));
    assert.equal(refusal(await upload(target, body, typed(LINES))), '422 duplicate_columns');
    const { status, trailers } = await upload(target, csv, typed(LINES));
    assert.deepEqual([status, trailers['x-rowcast-accounts']?.startsWith('read=21, scored=0')], [200, true]);
  });
});

describe('an upload of Parquet to the service', () => {
  it('is refused with what to do instead', async t => {
    const target = await serving(t);
    const bytes = await parquetOf(csv);
    const [named, nameless] = [formOf(bytes, 'personas.parquet'), formOf(bytes, 'personas')];
    for (const response of [
      await upload(target, bytes, typed('application/vnd.apache.parquet')),
      await upload(target, bytes, typed('application/x-parquet')),
      await upload(target, named.body, named.options),
      await upload(target, nameless.body, nameless.options),
    ]) {
      assert.equal(refusal(response), '415 unsupported_media_type');
      assert.match(String(response.body), /read from its end.*rowcast score FILE\.parquet/);
    }
    assert.equal(refusal(await upload(target, bytes)), '400 unsupported_format');
  });
});

describe('rowcast batch-predict', () => {
  async function run(t: TestContext, name: string, body: string | Buffer, output: string, ...more: string[]) {
    const folder = await newFolder(t);
    const [input, to] = [join(folder, name), join(folder, output)];
    await writeFile(input, body);
    const args = ['batch-predict', input, '-o', to, '--report', 'one', ...more];
    const { code, stderr } = await rowcast(args);
    return { code, stderr, written: await readFile(to, 'utf8').catch(() => undefined) };
  }

  slow('takes JSON lines, with a service and with local reports', async t => {
    const { url, key = '' } = await serving(t);
    const expected = await scored(t, lines);
    const keyFile = join(await newFolder(t), 'key');
    await writeFile(keyFile, key, { mode: 0o600 });
    const local = ['--home', await trainedHome()];
    for (const [name, more] of [
      ['in.jsonl', local],
      ['in', local],
      ['in.csv', [...local, '--input-format', 'jsonl']],
      ['in.ndjson', ['--url', url, '--api-key-file', keyFile]],
      ['in.csv', ['--url', url, '--api-key-file', keyFile, '--input-format', 'jsonl']],
    ] as const) {
      const { written } = await exits(run(t, name, lines, 'out.jsonl', ...more), 0);
      assert.equal(written, expected, name);
    }
  });

  it('refuses an output of another format, and Parquet, with what to do instead', async t => {
    const local = ['--home', await trainedHome()];
    for (const [name, body, output, says] of [
      ['in.jsonl', lines, 'out.csv', /would be JSON lines like the input \[wrong_suffix\]/],
      ['in.csv', csv, 'out.jsonl', /would be CSV like the input \[wrong_suffix\]/],
      ['in.csv', csv, 'out.parquet', /\[wrong_suffix\][\s\S]*rowcast score/],
      [
        'in.parquet',
        await parquetOf(csv),
        'out.parquet',
        /read from its end \[needs_file\][\s\S]*rowcast score FILE/,
      ],
      ['in', await parquetOf(csv), 'out', /\[needs_file\]/],
    ] as const) {
      const { code, stderr, written } = await run(t, name, body, output, ...local);
      assert.deepEqual([code, written], [2, undefined], stderr);
      assert.match(stderr, says);
    }
  });
});
