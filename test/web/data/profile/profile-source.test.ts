import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import {
  arrivingSource,
  type ProfileJob,
  profileSource,
} from '../../../../src/web/data/profile/profile-source.ts';
import { startProfile } from '../../../../src/web/data/profile/start-profile.ts';
import { csv, history } from '../../../support/service/history.ts';

const job: ProfileJob = {
  name: 'a.csv',
  format: 'csv',
  delimiter: undefined,
  maxRecordBytes: 1 << 20,
  maxColumns: 2_000,
  maxContentBytes: 1e9,
  maxGroupBytes: 1,
};

async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield Buffer.from(bytes.subarray(at, at + size));
}

const profileOf = (body: string | Uint8Array, options: Partial<ProfileJob> = {}, size = 1000) =>
  profileSource(arrivingSource(chunksOf(Buffer.from(body), size), job.name), { ...job, ...options });

describe('the profile of a file', () => {
  it('does not depend on how the file arrives', async () => {
    const text = csv(history({ rows: 60 }));
    const whole = await profileOf(text, {}, 1e9);
    assert.equal(whole.rows, 60);
    for (const size of [1, 7, 4096]) assert.deepEqual(await profileOf(text, {}, size), whole);
    assert.deepEqual(await profileOf(gzipSync(text), {}, 3), whole);
  });

  it('counts rows, missing and different values, and keeps the first rows', async () => {
    const { columns, firstRows, rows, contentBytes } = await profileOf(
      'a,b\n1,"x, y"\n\n ,\t\n1,\u00a0\n2,"x, y"\n',
    );
    assert.deepEqual([rows, contentBytes], [4, 32]);
    assert.deepEqual(firstRows, [
      ['1', 'x, y'],
      [' ', '\t'],
      ['1', '\u00a0'],
      ['2', 'x, y'],
    ]);
    assert.deepEqual(
      columns.map(({ missing, distinct, top }) => [missing, distinct, top]),
      [
        [
          1,
          { count: 2, isMore: false },
          [
            { text: '1', count: 2 },
            { text: '2', count: 1 },
          ],
        ],
        [2, { count: 1, isMore: false }, [{ text: 'x, y', count: 2 }]],
      ],
    );
  });

  it('counts in all rows of a large file, and examines a sample of them', async () => {
    const lines = Array.from({ length: 30_000 }, (_, i) => `id${i},${i % 7},${i % 3 === 0 ? '' : 'x'}\n`);
    const { rows, sampled, columns } = await profileOf(`id,n,x\n${lines.join('')}`, {}, 1 << 16);
    assert.deepEqual([rows, sampled], [30_000, 10_000]);
    const [id, n, x] = columns;
    assert.deepEqual(id?.distinct, { count: 1000, isMore: true });
    assert.equal(id?.leftOut, 'all its values are distinct, so it only identifies rows');
    assert.equal(id?.topOf, 'sample');
    assert.deepEqual(n?.distinct, { count: 7, isMore: false });
    assert.equal(n?.top[0]?.count, 4286);
    assert.equal(
      n?.histogram?.counts.reduce((sum, count) => sum + count),
      10_000,
    );
    assert.deepEqual([x?.missing, x?.leftOut], [10_000, 'it has only one value']);
  });

  it('refuses what training would, with file, line and reason', async () => {
    const cases: [body: string | Uint8Array, code: string, line: number | undefined, reason: RegExp][] = [
      ['', 'empty_input', undefined, /the input is empty/],
      ['a,b\n', 'invalid_csv', undefined, /has no rows/],
      ['a,b\n1,2\n\n1,2,3\n', 'too_many_fields', 4, /the record has 3 fields, the header 2/],
      ['a,b\n1,"2\n3,4\n', 'unclosed_quote', 2, /is not closed/],
      ['a,b\n"1"x,2\n', 'bad_quoting', 2, /text follows a closing quote/],
      [Buffer.from('a,b\n1,\xff\n', 'latin1'), 'not_utf8', 2, /not valid UTF-8/],
      [Buffer.from('\ufeffa,b\n1,2\n', 'utf16le'), 'bad_header', 1, /the file is UTF-16/],
      ['a;b\n1;2\n', 'invalid_csv', 1, /looks like several/],
      ['6,148\n1,85\n', 'bad_header', 1, /probably a row/],
      [gzipSync(csv(history({ rows: 99 }))).subarray(0, 500), 'bad_gzip', undefined, /truncated/],
      [gzipSync('a,b\n1,2\n3\n'), 'too_few_fields', 3, /1 field, the header 2/],
    ];
    for (const [body, code, line, reason] of cases)
      await assert.rejects(profileOf(body), error => {
        assert.deepEqual(
          [Object(error).code, Object(error).location.file, Object(error).location.line],
          [code, 'a.csv', line],
        );
        assert.match(Object(error).message, reason);
        return true;
      });
  });

  it('stops at a limit of decompressed bytes, however small the file is', async () => {
    const bomb = gzipSync(Buffer.concat([Buffer.from('a\n'), Buffer.alloc(5e6, '1\n')]));
    assert.ok(bomb.length < 100_000);
    await assert.rejects(profileOf(bomb, { maxContentBytes: 1e6 }), { code: 'too_large' });
    await assert.rejects(profileOf(gzipSync(Buffer.alloc(5e6))), { code: 'bad_header' });
  });

  it('keeps hostile names and values as text, and small', async () => {
    const hostile = [
      '__proto__',
      '<script>alert(1)</script>',
      '=cmd|calc',
      '\u202egnp',
      'nul\0',
      'x'.repeat(500),
    ];
    const row = [...hostile.slice(0, 5), 'y'.repeat(500)];
    const { columns, firstRows } = await profileOf(`${hostile.join()}\n${row.join()}\n`);
    assert.deepEqual(
      columns.map(({ name }) => name),
      hostile,
    );
    assert.deepEqual(firstRows[0]?.slice(0, 5), hostile.slice(0, 5));
    assert.equal(firstRows[0]?.[5]?.length, 100);
    assert.equal(columns[5]?.top[0]?.text.length, 100);
  });
});

const BYTES = 10 << 20;
const line = '1234567,x\n';

describe('a profile that is made while its file arrives', () => {
  function started(t: TestContext, header: string) {
    const bytes = Buffer.from(header + line.repeat(Math.ceil(BYTES / line.length)));
    const running = startProfile({ ...job, path: '' });
    t.after(() => running.stop());
    const pass = (from: number, to: number): void => {
      for (let at = from; at < to; at += 1 << 18)
        running.write(bytes.subarray(at, Math.min(to, at + (1 << 18))));
    };
    return { running, pass, size: bytes.length };
  }

  it('lets the upload go on as soon as most of what has arrived is checked', async t => {
    const { running, pass, size } = started(t, 'a,b\n');
    let isKeptUp = false;
    const keptUp = running.keptUp(size).then(() => {
      isKeptUp = true;
    });
    const half = size >> 1;
    pass(0, half);
    await running.keptUp(half);
    assert.equal(isKeptUp, false);
    pass(half, size);
    await keptUp;
    running.end();
    assert.equal((await running.outcome).rows, Math.ceil(BYTES / line.length));
  });

  it('holds no upload whose file is wrong', async t => {
    const { running, pass, size } = started(t, 'a,b\n1,2,3\n');
    pass(0, size);
    await running.keptUp(2 * size);
    await assert.rejects(running.outcome, { code: 'too_many_fields' });
  });
});
