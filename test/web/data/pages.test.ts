import assert from 'node:assert/strict';
import { cp, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { listReports } from '../../../src/models/store/report-store.ts';
import { DataStore } from '../../../src/web/data/data-store.ts';
import { choicesOf } from '../../../src/web/data/settings.ts';
import { newFolder } from '../../support/folder.ts';
import { csv, history } from '../../support/service/history.ts';
import { ownTrainedHome, trainedHome } from '../../support/service/serving.ts';
import { slow } from '../../support/slow.ts';
import { ownedPlatform, servingPlatform, signIn, signInWithKey } from '../../support/web/platform.ts';
import { platformWithData } from '../../support/web/started-training.ts';
import { uploaded } from '../../support/web/uploaded.ts';
import { problemOf, upload } from '../../support/web/uploads.ts';

const markup = '<script>alert(1)</script>';
const hostile = [
  markup,
  '=1+cmd|calc',
  '\u202egnp.exe',
  'nul\0',
  '"><img src=x onerror=alert(1)>',
  "' onclick='",
  '__proto__',
];
const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

describe('the page of data', () => {
  slow('shows hostile names and values as text', async t => {
    const { browser } = await ownedPlatform(t);
    const line = `${hostile.map(quoted).join()}\n`;
    // A row that repeats the header would be left out.
    const row = `${[...hostile.slice(1), 'other'].map(quoted).join()}\n`;
    const { id, name } = await upload(browser, line + row.repeat(3), '<img src=x>\u202e.csv');
    for (const path of [`/data/${id}`, '/']) {
      const page = await browser.page(path);
      assert.deepEqual(page.match(/<script(?! type="module" src="\/assets\/)/g), null);
      assert.doesNotMatch(page, /<img src=x|[\u202a-\u202e\u2066-\u2069\0]|\son[a-z]+=['"]/);
      assert.match(page, /&lt;img src=x&gt; \.csv/);
    }
    assert.equal(name, '<img src=x> .csv');
    const page = await browser.page(`/data/${id}`);
    for (const shown of [
      '&lt;script&gt;alert(1)',
      '=1+cmd|calc',
      'gnp.exe',
      '&quot;&gt;&lt;img src=x',
      '&#39; onclick=&#39;',
      '__proto__',
    ])
      assert.ok(page.includes(shown), shown);
  });

  it('says which columns are left out, and why', async t => {
    const rows = Array.from({ length: 100 }, (_, i) => `${i},${(i * 37) % 50},x,C-${i},,1,2\n`);
    const { browser, data } = await platformWithData(
      t,
      `row,n,same,code,empty,twice,twice\n${rows.join('')}`,
    );
    const page = await browser.page(`/data/${data}`);
    for (const reason of [
      'it counts the rows, so it only identifies them',
      'it has only one value',
      'all its values are distinct, so it only identifies rows',
      'it is empty',
      'another column has the same name',
    ])
      assert.ok(page.includes(reason), reason);
    assert.match(page, /<svg class="histogram"[^>]*aria-label="From 0 to 49, median \d+"/);
    assert.equal(
      page.match(/name="column"/g)?.length,
      5,
      'no choices for columns without a name of their own',
    );
    assert.doesNotMatch(page, /style=/);
  });

  it('saves types and uses', async t => {
    const { browser, home, data: id } = await platformWithData(t, csv(history({ rows: 60 })));
    // customer, monthly amount, plan, __proto__, outcome: plan is excluded, __proto__ is categorical.
    const response = await browser.submit(`/platform/data/${id}/settings`, {
      column: ['1', '2', '3'],
      'type-1': 'auto',
      'use-1': '1',
      'type-2': 'auto',
      'type-3': 'categorical',
      'use-3': '1',
    });
    assert.deepEqual([response.status, response.headers.get('location')], [303, `/data/${id}`]);
    const page = await browser.page(`/data/${id}`);
    assert.match(page, /Saved\./);
    assert.match(page, /by .*a-test/);
    assert.match(page, /name="type-3"[\s\S]*?<option value="categorical" selected>/);
    assert.doesNotMatch(page, /name="use-2" value="1" checked/);
    assert.match(page, /it was excluded/);
    const store = await DataStore.open(home, 1e9);
    const meta = await store.meta(id);
    const { types = {}, excludeFeatures } = choicesOf(meta.settings);
    assert.deepEqual([Object.entries(types), excludeFeatures], [[['__proto__', 'categorical']], ['plan']]);
    for (const fields of [
      { column: '99' },
      { column: '0', 'type-0': 'text' },
      { column: '0', 'type-0': 'date:ymd' },
      { column: '-1' },
      { column: 'x' },
      { column: ['1', '1'], 'type-1': 'auto' },
      { column: ['1', '01'], 'type-1': 'date', 'type-01': 'auto' },
    ] as Record<string, string | string[]>[]) {
      const wrong = await browser.submit(`/platform/data/${id}/settings`, fields);
      assert.equal(wrong.status, 400);
    }
    assert.deepEqual((await store.meta(id)).settings, meta.settings);
  });

  it('saves the choices also on the way to the Predict page, and says so only if something has changed', async t => {
    const { browser, data: id } = await platformWithData(t, csv(history({ rows: 100 })));
    const goOn = async (fields: Record<string, string>): Promise<string> => {
      const response = await browser.submit(`/platform/data/${id}/settings`, { ...fields, next: 'predict' });
      assert.deepEqual([response.status, response.headers.get('location')], [303, `/data/${id}/predict`]);
      return browser.page(`/data/${id}/predict`);
    };
    assert.doesNotMatch(await goOn({ column: '1', 'type-1': 'auto', 'use-1': '1' }), /Saved\./);
    assert.match(await goOn({ column: '1', 'type-1': 'auto' }), /Saved\./);
    assert.match(await browser.page(`/data/${id}`), /it was excluded/);
    await goOn({ column: '1', 'type-1': 'date:dmy', 'use-1': '1' });
    assert.match(
      await browser.page(`/data/${id}`),
      /name="type-1"[\s\S]*?<option value="date:dmy" selected>date, day before month</,
    );
  });

  it('does not exist without data', async t => {
    const { browser, data: id } = await platformWithData(t, 'a,b\n1,2\n');
    const deleted = await browser.submit(`/platform/data/${id}/delete`);
    assert.deepEqual([deleted.status, deleted.headers.get('location')], [303, '/']);
    assert.match(await browser.page('/'), /The data was deleted/);
    for (const path of [`/data/${id}`, '/data/..%2f..%2fkeys', '/data/%00']) {
      const response = await browser.fetch(path);
      assert.deepEqual([response.status, (await problemOf(response)).code], [404, 'no_such_data'], path);
    }
    assert.equal((await browser.submit(`/platform/data/${id}/delete`)).status, 404);
  });

  it('says that damaged data is damaged, and the list lets it be deleted', async t => {
    const { browser, home, data: id } = await platformWithData(t, 'a,b\n1,2\n');
    await writeFile(join(home, 'data', id, 'meta.json'), '{');
    const response = await browser.fetch(`/data/${id}`, { headers: { accept: 'text/html' } });
    assert.equal(response.status, 410);
    assert.match(await response.text(), /Delete it and upload the file again/);
    assert.match(await browser.page('/'), new RegExp(`damaged(?:.|\\n)*/platform/data/${id}/delete`));
    assert.equal((await browser.submit(`/platform/data/${id}/delete`)).status, 303);
  });
});

describe('the home page', () => {
  it('lists reports, the newest first, and the data with the quota', async t => {
    const home = await ownTrainedHome(t);
    const id = await uploaded(home, 'a,b\n1,2\n', 'some data.csv');
    const { browser } = await ownedPlatform(t, { home, dataBytes: 10 * 2 ** 30 });
    const old = new Date('2020-01-02T03:04:05Z');
    await utimes(join(home, 'reports', 'one', 'SHA256SUMS'), old, old);
    const page = await browser.page('/');
    assert.ok(page.indexOf('/predictions/two') < page.indexOf('/predictions/one'));
    assert.match(page, /2020-01-02 03:04/);
    const [listed] = await listReports(home);
    const specs: Partial<Record<string, string>> = listed?.report?.tech_specs ?? {};
    for (const text of [specs.testing_accuracy, specs.algorithm, 'outcome'])
      assert.ok(page.includes(String(text)), text);
    assert.match(page, new RegExp(`href="/data/${id}"><bdi>some data.csv`));
    assert.match(page, /KiB of 10 GiB used/);
  });

  it('lists to a bound key only its reports', async t => {
    const home = await ownTrainedHome(t);
    const target = await servingPlatform(t, { home });
    const page = await (await signInWithKey(target, 'bound', { reports: ['two'] })).page('/');
    assert.match(page, /\/predictions\/two/);
    assert.doesNotMatch(page, /\/predictions\/one/);
  });

  it('shows only the ids of reports to a key that the API refuses them to', async t => {
    const home = await ownTrainedHome(t);
    const target = await servingPlatform(t, { home });
    const page = await (await signInWithKey(target, 'scorer', { scopes: ['predict', 'platform'] })).page('/');
    assert.match(page, /<code>one<\/code>/);
    assert.match(page, /it needs the scope <code>report/);
    const [listed] = await listReports(home);
    const specs: Partial<Record<string, string>> = listed?.report?.tech_specs ?? {};
    for (const told of ['/predictions/one', 'outcome', String(specs.testing_accuracy)])
      assert.ok(!page.includes(told), told);
  });

  slow('shows a damaged report as damaged', async t => {
    const home = await newFolder(t);
    await cp(await trainedHome(), home, { recursive: true, verbatimSymlinks: true });
    await writeFile(join(home, 'reports', 'one', 'report.json'), '{}');
    const page = await (await signIn(await servingPlatform(t, { home }))).page('/');
    assert.match(page, /\/predictions\/one[\s\S]*damaged/);
  });
});
