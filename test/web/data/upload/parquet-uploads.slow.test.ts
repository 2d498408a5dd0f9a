import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parquetOf } from '../../../support/parquet.ts';
import { csv, history } from '../../../support/service/history.ts';
import { slow } from '../../../support/slow.ts';
import { until } from '../../../support/until.ts';
import { ownedPlatform } from '../../../support/web/platform.ts';
import { problemOf, sendFile, upload } from '../../../support/web/uploads.ts';

const text = csv(history({ rows: 120 }));

const stored = async (home: string): Promise<string[]> => readdir(join(home, 'data')).catch(() => []);

/** A file with a footer of so many bytes. */
function withFooterOf(bytes: number): Buffer {
  const end = Buffer.from('....PAR1');
  end.writeUInt32LE(bytes);
  return Buffer.concat([Buffer.from('PAR1'), Buffer.alloc(bytes), end]);
}

describe('an upload of Parquet', () => {
  for (const name of ['Telco churn.PQ', 'churn'])
    it(`is stored as it was sent, and has the profile of the same rows as CSV: ${name}`, async t => {
      const { browser, home } = await ownedPlatform(t);
      const bytes = await parquetOf(text, { groupRows: 50 });
      const meta = await upload(browser, bytes, name);
      assert.deepEqual(
        [meta.name, meta.file, meta.rows, meta.columns, meta.bytes],
        [name, 'data.parquet', 120, 5, bytes.length],
      );
      assert.deepEqual(await readFile(join(home, 'data', meta.id, 'data.parquet')), bytes);
      const own = await upload(browser, text);
      assert.equal(meta.contentBytes, own.contentBytes);
      const profileOf = (id: string) => readFile(join(home, 'data', id, 'profile.json'), 'utf8');
      assert.equal(await profileOf(meta.id), await profileOf(own.id));
      assert.match(await browser.page(`/data/${meta.id}`), /monthly amount/);
    });

  it('has no character between columns, whatever the page sends', async t => {
    const { browser } = await ownedPlatform(t);
    const meta = await upload(browser, await parquetOf(text), 'a.parquet', { 'x-delimiter': ';' });
    assert.deepEqual([meta.columns, meta.delimiter], [5, undefined]);
  });

  it('that cannot be read is refused with the reason, and leaves nothing', async t => {
    const { browser, home } = await ownedPlatform(t);
    const whole = await parquetOf(text);
    const wide = `${Array.from({ length: 2001 }, (_, i) => `c${i}`).join()}\n${','.repeat(2000)}\n`;
    const twice = Buffer.from(
      (await parquetOf('aa,ab\n1,2\n')).toString('latin1').replaceAll('ab', 'aa'),
      'latin1',
    );
    const cases: [what: string, name: string, body: string | Uint8Array, detail: RegExp][] = [
      [
        'cut off',
        'a.parquet',
        whole.subarray(0, -9),
        /^a\.parquet: the Parquet file cannot be read: it is cut off/,
      ],
      [
        'only its beginning',
        'a',
        whole.subarray(0, 8),
        /^a: the Parquet file cannot be read: it does not begin/,
      ],
      [
        'a CSV',
        'a.parquet',
        text,
        /^a\.parquet: the file is called Parquet, but does not begin as one\. Give/,
      ],
      ['empty', 'a.parquet', '', /^a\.parquet: the file is called Parquet/],
      [
        'called CSV',
        'a.csv',
        whole,
        /^a\.csv: the file is Parquet, not CSV\. Give it a name that ends in \.parquet/,
      ],
      [
        'wide',
        'a.parquet',
        await parquetOf(wide),
        /the file has 2,001 columns, with those in other columns; the limit is 2,000/,
      ],
      ['two of one name', 'a.parquet', twice, /^a\.parquet: the file has two columns "aa"\. Rename one\.$/],
      [
        'with a large footer',
        'a.parquet',
        withFooterOf((1 << 20) + 1),
        /1,048,577 bytes describe the columns and row groups of the file; the limit is 1,048,576/,
      ],
      ['no rows', 'a.parquet', await parquetOf('a,b\n'), /^a\.parquet: the file has no rows\.$/],
    ];
    for (const [what, name, body, detail] of cases) {
      const problem = await problemOf(await sendFile(browser, body, name));
      assert.deepEqual([problem.status, problem.code], [422, 'invalid_csv'], what);
      assert.match(problem.detail, detail, what);
      assert.doesNotMatch(problem.detail, / --[a-z]|\/data\//, 'neither an option nor a path of the service');
    }
    assert.deepEqual(await stored(home), []);
  });

  slow('is refused before it is whole if it does not fit, and its content counts too', async t => {
    const { browser, home } = await ownedPlatform(t, { dataBytes: 50_000 });
    const bytes = await parquetOf(text);
    async function* endless() {
      for (;;) yield bytes;
    }
    const refused = await sendFile(browser, endless() as unknown as Uint8Array, 'a.parquet').catch(
      error => error,
    );
    assert.ok(refused instanceof Error || refused.status === 507);
    const constant = await parquetOf(
      `a,b\n${'x'.repeat(900)},1\n`.concat(`${'x'.repeat(900)},2\n`.repeat(200)),
    );
    assert.ok(constant.length < 40_000, `${constant.length} bytes`);
    const { detail } = await problemOf(await sendFile(browser, constant, 'a.parquet'));
    assert.match(detail, /the content of the file has more than 50000 bytes/);
    await until(async () => (await stored(home)).length === 0, 'the uploads are removed');
  });
});
