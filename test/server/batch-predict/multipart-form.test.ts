import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { readForm } from '../../../src/server/batch-predict/multipart-form.ts';

const type = 'multipart/form-data; boundary=b';
const id = '--b\r\nContent-Disposition: form-data; name="id"\r\n\r\ntwo\r\n';
const file = '--b\r\nContent-Disposition: form-data; name="file"; filename="f.csv"\r\n\r\na\n1\n\r\n';
const end = '--b--\r\n';

/** A form that never ends, in pieces as they come from a decompressor. */
function endless(first: string, part: string): { body: Readable; taken(): number } {
  const piece = Buffer.from(part.repeat(Math.ceil(16_384 / part.length)));
  let taken = 0;
  async function* pieces(): AsyncGenerator<Buffer> {
    yield Buffer.from(first);
    for (;;) {
      taken++;
      await nextTurn();
      yield piece;
    }
  }
  return { body: Readable.from(pieces()), taken: () => taken };
}

const field = '--b\r\nContent-Disposition: form-data; name="x"\r\n\r\n\r\n';

for (const [what, part, expected] of [
  ['empty parts', '--b\r\n', /more than 21 parts/],
  ['parts without headers', '--b\r\n\r\n\r\n', /more than 21 parts/],
  ['empty fields', field, /more than 21 parts/],
] as const)
  test(`a form of endless ${what} is refused at once`, async () => {
    const { body, taken } = endless(id, part);
    await assert.rejects(readForm(body, type), { code: 'malformed', message: expected });
    assert.ok(taken() < 20, `${taken()} pieces were read`);
  });

for (const [what, first, part] of [
  ['headers of a part', `${id}--b\r\n`, 'x: y\r\n'],
  ['bytes of a field', `${id}${field.slice(0, -2)}`, 'x'],
  ['bytes before the first part', '', 'x'],
] as const)
  test(`endless ${what} are refused`, async () => {
    const { body, taken } = endless(first, part);
    await assert.rejects(readForm(body, type), { code: 'malformed', message: /bytes before its "file"/ });
    assert.ok(taken() < 40, `${taken()} pieces were read`);
  });

test('endless parts after the file end it with an error', async () => {
  const { body } = endless(id + file, '--b\r\n');
  const { bytes } = await readForm(body, type);
  await assert.rejects(
    async () => {
      for await (const _ of bytes);
    },
    { code: 'malformed', message: /more than 21 parts/ },
  );
});

test('a form with as many fields as a page may have is read', async () => {
  const { id: report, bytes } = await readForm(
    Readable.from([Buffer.from(field.repeat(19) + id + file + end)]),
    type,
  );
  assert.equal(report, 'two');
  const parts: Buffer[] = [];
  for await (const part of bytes) parts.push(part);
  assert.equal(String(Buffer.concat(parts)), 'a\n1\n');
});

const BEGINNING =
  '--b\r\ncontent-disposition: form-data; name="id"\r\n\r\none\r\n' +
  '--b\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\na,b\r\n';

test('a form whose body ends inside its file is malformed', async () => {
  for (const end of ['', '1,2\r\n', '1,2\r\n--', '1,2\r\n--b']) {
    const body = new PassThrough();
    body.write(BEGINNING);
    const { id, bytes } = await readForm(body, type);
    assert.equal(id, 'one');
    body.end(end);
    await assert.rejects(buffer(bytes), { code: 'malformed', message: /^The form is invalid: / }, end);
  }
});

test('a file that arrives with its form is read to its end', async () => {
  const body = new PassThrough();
  body.end(`${BEGINNING}1,2\r\n--b--\r\n`);
  const { bytes } = await readForm(body, type);
  assert.equal(String(await buffer(bytes)), 'a,b\r\n1,2');
});

for (const [what, headers, name] of [
  ['its name', 'filename="a.ndjson"', 'upload.jsonl'],
  [
    'its name, if its type says another one',
    'filename="a.csv"\r\nContent-Type: application/jsonl',
    'upload.csv',
  ],
  ['its type', 'filename="a"\r\nContent-Type: application/x-ndjson; charset=utf-8', 'upload.jsonl'],
  ['nothing', 'filename="a.txt"\r\nContent-Type: application/octet-stream', 'upload'],
] as const)
  test(`the format of a file is told by ${what}`, async () => {
    const part = `--b\r\nContent-Disposition: form-data; name="file"; ${headers}\r\n\r\na\n1\n\r\n`;
    const upload = await readForm(Readable.from([Buffer.from(id + part + end)]), type);
    assert.equal(upload.name, name);
    assert.equal(String(await buffer(Readable.from(upload.bytes))), 'a\n1\n');
  });

for (const headers of ['filename="a.PQ"', 'filename="a"\r\nContent-Type: application/vnd.apache.parquet'])
  test(`Parquet is refused with what to do: ${headers.replace(/\r\n/, ', ')}`, async () => {
    const part = `--b\r\nContent-Disposition: form-data; name="file"; ${headers}\r\n\r\nPAR1\r\n`;
    await assert.rejects(readForm(Readable.from([Buffer.from(id + part + end)]), type), {
      code: 'unsupported_media_type',
      message: /Score the file itself: rowcast score FILE\.parquet/,
    });
  });
