import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { addKey, listKeys, type NewKey } from '../../../src/server/auth/key-store.ts';
import { get } from '../../support/service/client.ts';
import { ownTrainedHome } from '../../support/service/serving.ts';
import { slow } from '../../support/slow.ts';
import { ownedPlatform, servingPlatform, signIn, signInWithKey } from '../../support/web/platform.ts';

const form = { name: 'etl', scope: ['predict', 'report'], bound: 'all', days: '90' };

/** The key that a page shows. */
const shownKey = (page: string): string | undefined => /rowcast_[\w-]{43}/.exec(page)?.[0];

describe('the page of keys', () => {
  it('creates a key that works at once, and shows it a single time', async t => {
    const { browser, ...target } = await ownedPlatform(t, { home: await ownTrainedHome(t) });
    const response = await browser.submit('/platform/keys', { ...form, bound: 'some', report: 'one' });
    assert.deepEqual([response.status, response.headers.get('location')], [303, '/keys']);
    await browser.fetch('/keys', { method: 'HEAD', headers: { accept: 'text/html' } });
    const key = shownKey(await browser.page('/keys')) ?? '';
    assert.equal((await get({ url: target.url, key }, '/user/report/one')).status, 200);
    assert.equal((await get({ url: target.url, key }, '/user/report/two')).status, 404);
    assert.equal(shownKey(await browser.page('/keys')), undefined);
    assert.equal(shownKey(await (await signIn(target)).page('/keys')), undefined);
    const text = await readFile(join(target.home, 'keys', 'etl.json'), 'utf8');
    assert.ok(!text.includes(key));
    const days = (Date.parse(JSON.parse(text).expires) - Date.now()) / 86_400_000;
    assert.ok(days > 89.9 && days <= 90);
  });

  it('shows each of several keys that were created before it was loaded', async t => {
    const { browser } = await ownedPlatform(t);
    for (const name of ['one', 'two']) await browser.submit('/platform/keys', { ...form, name });
    const page = await browser.page('/keys');
    assert.equal(new Set(page.match(/rowcast_[\w-]{43}/g)).size, 2);
    assert.match(page, /Key “one” created[\s\S]*Key “two” created/);
    assert.equal(shownKey(await browser.page('/keys')), undefined);
  });

  slow('has the last ten notices of what was done', async t => {
    const { browser, ...target } = await ownedPlatform(t);
    for (let i = 0; i < 12; i++) {
      await addKey(target.home, `k${i}`, { reports: 'all' });
      await browser.submit(`/platform/keys/k${i}/revoke`);
    }
    const page = await browser.page('/keys');
    assert.equal(page.match(/” is revoked/g)?.length, 10);
    assert.match(page, /“k11” is revoked/);
  });

  it('is shown to nobody else: not to another session that looks first', async t => {
    const target = await servingPlatform(t);
    const [creator, other] = [await signIn(target), await signIn(target)];
    await creator.submit('/platform/keys', form);
    assert.equal(shownKey(await other.page('/keys')), undefined);
    assert.ok(shownKey(await creator.page('/keys')));
  });

  it('revokes a key', async t => {
    const { browser, ...target } = await ownedPlatform(t);
    await addKey(target.home, 'old', { reports: 'all' });
    assert.match(await browser.page('/keys'), /action="\/platform\/keys\/old\/revoke"/);
    assert.equal((await browser.submit('/platform/keys/old/revoke')).status, 303);
    const page = await browser.page('/keys');
    assert.match(page, /The key “old” is revoked/);
    assert.match(page, /No keys yet/);
    assert.deepEqual(await listKeys(target.home), []);
  });

  it('says what is wrong with a form, and keeps what was entered', async t => {
    const { browser, ...target } = await ownedPlatform(t);
    await addKey(target.home, 'taken', { reports: 'all' });
    const cases: [status: number, fields: Record<string, string | string[]>, message: RegExp][] = [
      [409, { name: 'taken' }, /already exists/],
      [422, { name: '../../etc/passwd' }, /Invalid key name/],
      [422, { name: '"><script>' }, /Invalid key name &quot;&quot;&gt;&lt;script&gt;/],
      [422, { name: '' }, /Invalid key name/],
      [422, { scope: [] }, /Choose what the key is for/],
      [422, { scope: ['everything'] }, /Choose what the key is for/],
      [422, { bound: 'some' }, /Choose the reports/],
      [422, { bound: '' }, /Choose the reports/],
      [422, { report: 'one' }, /You have chosen reports, but also/],
      [
        422,
        { bound: 'some', report: Array.from({ length: 1_001 }, (_, i) => `r${i}`) },
        /at most 1000 reports/,
      ],
      [400, { bound: 'some', report: '../x' }, /Invalid report id/],
      [422, { days: '1e9' }, /Choose how long/],
      [422, { days: '-1' }, /Choose how long/],
    ];
    for (const [status, fields, message] of cases) {
      const response = await browser.submit('/platform/keys', { ...form, ...fields });
      const text = await response.text();
      assert.equal(response.status, status, JSON.stringify(fields));
      assert.match(text, message);
      assert.match(text, /<option value="90"|<option value="30"/);
    }
    assert.equal((await listKeys(target.home)).length, 1);
  });

  it('never grants more than the key of the creator does: scopes and time', async t => {
    const target = await servingPlatform(t);
    const expires = new Date(Date.now() + 5 * 86_400_000);
    const browser = await signInWithKey(target, 'anna', { expires });
    const page = await browser.page('/keys');
    assert.match(page, /value="testing-results" disabled/);
    const refused = await browser.submit('/platform/keys', {
      ...form,
      scope: ['predict', 'testing-results'],
    });
    assert.equal(refused.status, 422);
    assert.match(await refused.text(), /Your own key does not have the scope “testing-results”/);
    for (const [name, days] of [
      ['a', '90'],
      ['b', '0'],
    ] as const)
      assert.equal((await browser.submit('/platform/keys', { ...form, name, days })).status, 303);
    const made = (await listKeys(target.home)).filter(({ name }) => name !== 'anna');
    assert.deepEqual(
      made.map(({ key }) => key?.expires),
      [expires.toISOString(), expires.toISOString()],
    );
  });

  it('revokes no key that grants more than one’s own, or for longer', async t => {
    const target = await servingPlatform(t);
    const soon = new Date(Date.now() + 86_400_000);
    const scopes = ['predict', 'platform'] as const;
    const weak = await signInWithKey(target, 'weak', { scopes, expires: soon });
    const others: [name: string, grants: NewKey, status: number][] = [
      ['more', { reports: 'all', scopes: ['predict', 'report', 'platform'], expires: soon }, 403],
      ['longer', { reports: ['one'], scopes: ['predict'] }, 403],
      ['same', { reports: 'all', scopes, expires: soon }, 303],
      ['less', { reports: ['one'], scopes: ['predict'], expires: soon }, 303],
    ];
    for (const [name, grants] of others) await addKey(target.home, name, grants);
    await writeFile(join(target.home, 'keys', 'damaged.json'), '{');
    const page = await weak.page('/keys');
    for (const [name, , status] of [...others, ['damaged', undefined, 303] as const]) {
      assert.equal(page.includes(`/platform/keys/${name}/revoke`), status === 303, name);
      assert.equal((await weak.submit(`/platform/keys/${name}/revoke`)).status, status, name);
    }
    const left = (await listKeys(target.home)).map(({ name }) => name);
    assert.deepEqual(left, ['longer', 'more', 'weak']);
    assert.equal((await (await signIn(target)).submit('/platform/keys/longer/revoke')).status, 303);
  });

  slow('is not for keys that are bound to reports', async t => {
    const target = await servingPlatform(t, { home: await ownTrainedHome(t) });
    const browser = await signInWithKey(target, `bound-${process.pid}`, { reports: ['one'] });
    const page = await browser.fetch('/keys', { headers: { accept: 'text/html' } });
    assert.equal(page.status, 403);
    const text = await page.text();
    assert.match(text, /Your key does not manage keys/);
    assert.ok(!text.includes('Revoke'));
    for (const path of ['/platform/keys', '/platform/keys/other/revoke'])
      assert.equal((await browser.submit(path, form)).status, 403);
  });
});
