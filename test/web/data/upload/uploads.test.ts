import assert from 'node:assert/strict';
import { readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { newFolder } from '../../../support/folder.ts';
import { csv, history } from '../../../support/service/history.ts';
import { shared } from '../../../support/shared.ts';
import { slow } from '../../../support/slow.ts';
import { ownedPlatform, servingPlatform, signInWithKey } from '../../../support/web/platform.ts';
import { uploaded } from '../../../support/web/uploaded.ts';
import { problemOf, sendFile, upload } from '../../../support/web/uploads.ts';

const table = history({ rows: 120 });
const text = csv(table);

const stored = async (home: string): Promise<string[]> => readdir(join(home, 'data')).catch(() => []);

describe('an upload', () => {
  const platform = shared(suite => ownedPlatform(suite));

  it('is stored as it was sent, with a profile', async () => {
    const { browser, home } = platform();
    const meta = await upload(browser, text, 'Telco churn.csv');
    assert.match(meta.id, /^[0-9a-f]{16}$/);
    assert.deepEqual(
      [meta.name, meta.rows, meta.columns, meta.bytes],
      ['Telco churn.csv', 120, 5, Buffer.byteLength(text)],
    );
    assert.equal(await readFile(join(home, 'data', meta.id, 'data.csv'), 'utf8'), text);
    assert.deepEqual((await readdir(join(home, 'data', meta.id))).sort(), [
      'data.csv',
      'meta.json',
      'profile.json',
    ]);
    const page = await browser.page(`/data/${meta.id}`);
    for (const [name = ''] of (table[0] ?? []).map(each => [each]))
      assert.match(page, new RegExp(name), 'the page names every column');
  });

  it('may be JSON lines, which are stored under a name that says so', async () => {
    const { browser, home } = platform();
    const [names = [], ...rows] = table;
    const lines = rows.map(row => JSON.stringify(Object.fromEntries(row.map((cell, i) => [names[i], cell]))));
    const meta = await upload(browser, `${lines.join('\n')}\n`, 'churn.ndjson');
    assert.deepEqual([meta.rows, meta.columns], [120, 5]);
    assert.ok((await readdir(join(home, 'data', meta.id))).includes('data.jsonl'));
    const page = await browser.page(`/data/${meta.id}`);
    assert.match(page, /monthly amount/);
  });

  it('is told to try again if the data directory cannot be written', async t => {
    const { browser, home } = await ownedPlatform(t);
    // Not even root can write there.
    await symlink('data', join(home, 'data'));
    const { status, code } = await problemOf(await sendFile(browser, text));
    assert.deepEqual([status, code], [503, 'home_unavailable']);
  });

  it('may be compressed, whatever its name says', async () => {
    const { browser } = platform();
    const packed = gzipSync(text);
    const { rows, bytes, contentBytes } = await upload(browser, packed, 'a');
    assert.deepEqual([rows, bytes, contentBytes], [120, packed.length, Buffer.byteLength(text)]);
  });

  slow('may be a TSV, or have another delimiter that the user chooses', async () => {
    const { browser, home } = platform();
    const tsv = await upload(browser, 'a\tb\n1\t"2\n', 'a.tsv');
    assert.deepEqual([tsv.columns, tsv.file], [2, 'data.tsv']);
    const semicolons = 'a;b\n1;2\n';
    const refused = await problemOf(await sendFile(browser, semicolons));
    assert.equal(refused.code, 'invalid_csv');
    assert.match(refused.detail, /a single column that looks like several. Choose/);
    const meta = await upload(browser, semicolons, 'x.csv', { 'x-delimiter': ';' });
    assert.deepEqual([meta.columns, meta.delimiter], [2, ';']);
    assert.ok((await stored(home)).includes(tsv.id));
    const other = await sendFile(browser, semicolons, 'x.csv', { 'x-delimiter': 'x' });
    assert.equal((await problemOf(other)).code, 'malformed');
  });

  it('that is not valid is refused with file, line and reason, and leaves nothing', async () => {
    const { browser, home } = platform();
    const before = await stored(home);
    const cases: [name: string, body: string | Uint8Array, detail: RegExp][] = [
      [
        'i.csv',
        `a\n${'x'.repeat(2 << 20)}\n`,
        /^i\.csv, line 2: the record is longer than 1,048,576 bytes\.$/,
      ],
      [
        'j.csv',
        `${'a,'.repeat(2000)}a\n`,
        /^j\.csv, line 1: the header has 2,001 columns; the limit is 2,000\./,
      ],
      [
        '../../../etc/x\u202eyz\n.csv',
        'a,b\n1,2\n\n1,2,3\n',
        /^x yz \.csv, line 4: the record has 3 fields, the header 2\.$/,
      ],
    ];
    for (const [name, body, detail] of cases) {
      const problem = await problemOf(await sendFile(browser, body, name));
      assert.deepEqual([problem.status, problem.code], [422, 'invalid_csv'], problem.detail);
      assert.match(problem.detail, detail);
      assert.doesNotMatch(problem.detail, /--/, 'no option of the command line');
    }
    assert.deepEqual(await stored(home), before);
  });

  it('needs a name', async () => {
    const { browser } = platform();
    for (const name of ['', '%E4', '%'])
      assert.equal(
        (await problemOf(await sendFile(browser, text, 'x', { 'x-file-name': name }))).code,
        'malformed',
      );
  });

  it('needs a key that is not bound to reports', async t => {
    const home = await newFolder(t);
    const id = await uploaded(home, text);
    const target = await servingPlatform(t, { home });
    const bound = await signInWithKey(target, 'bound', { reports: ['one'] });
    const answers = await Promise.all([
      sendFile(bound, text),
      bound.submit(`/platform/data/${id}/delete`),
      bound.submit(`/platform/data/${id}/settings`),
      bound.submit('/platform/data/sample'),
      bound.fetch(`/data/${id}`),
    ]);
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([403]));
    const page = await bound.page('/');
    assert.match(page, /Your key is bound to reports/);
    assert.doesNotMatch(page, /history\.csv|data-upload/);
    assert.equal((await stored(target.home)).length, 1);
  });

  slow('may be the sample of the package', async () => {
    const { browser } = platform();
    const response = await browser.submit('/platform/data/sample');
    assert.equal(response.status, 303);
    const page = await browser.page(response.headers.get('location') ?? '');
    assert.match(page, /5,000 rows, 16 columns/);
    assert.match(page, /left out<\/span> <span class="small muted">all its values are distinct/);
  });
});
