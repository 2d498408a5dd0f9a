import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { newFolder } from '../../support/folder.ts';
import { parquetOf } from '../../support/parquet.ts';
import { root } from '../../support/root.ts';
import { noBrowser } from '../../support/service/browser.ts';
import { csv, history } from '../../support/service/history.ts';
import { chooseFile, holdScript, ownersPage } from '../../support/web/browser.ts';

const sample = join(root, 'fixtures/telecom-history.csv');

const open = async (t: TestContext) => ({ ...(await ownersPage(t)), folder: await newFolder(t) });

const stored = (home: string): Promise<string[]> => readdir(join(home, 'data')).catch(() => []);

/** Has uploads take their time. */
async function slowDown(page: Page): Promise<void> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: 200_000,
  });
}

/** Drops files with these names; as text, because the types of a page are not those of a test. */
const drop = (page: Page, names: readonly string[]): Promise<void> =>
  page.evaluate(`{
    const dataTransfer = new DataTransfer();
    for (const name of ${JSON.stringify(names)}) dataTransfer.items.add(new File(['a,b\\n1,2\\n3,4\\n'], name));
    const event = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true });
    document.querySelector('[data-upload]').dispatchEvent(event);
  }`);

describe('uploading in a browser', { skip: noBrowser }, () => {
  it('leads to the page of the data, where types and uses can be changed', async t => {
    const { page, problems } = await open(t);
    await chooseFile(page, sample);
    await page.waitForURL('**/data/*');
    assert.equal(await page.locator('h1').textContent(), 'telecom-history.csv');
    assert.equal(await page.locator('svg.histogram').count(), 6);
    const region = page.getByRole('row', { name: /^region auto/ });
    await region.getByRole('checkbox').uncheck();
    await page.getByLabel('Type of tenure').selectOption('categorical');
    await page.getByRole('button', { name: 'Save types and uses' }).click();
    await page.locator('.notice.good', { hasText: 'Saved.' }).waitFor();
    assert.match((await region.textContent()) ?? '', /it was excluded/);
    assert.equal(await page.getByLabel('Type of tenure').inputValue(), 'categorical');
    assert.deepEqual(problems, []);
  });

  it('takes Parquet, and says which formats it takes', async t => {
    const { page, problems, folder } = await open(t);
    assert.match((await page.locator('[data-choose]').textContent()) ?? '', /CSV, JSON lines or Parquet/);
    const file = join(folder, 'history.parquet');
    const text = csv(history({ rows: 60 }));
    await writeFile(file, await parquetOf(text));
    await chooseFile(page, file);
    await page.waitForURL('**/data/*');
    assert.equal(await page.locator('h1').textContent(), 'history.parquet');
    await page.getByRole('row', { name: /^plan/ }).waitFor();
    assert.deepEqual(problems, []);
    await page.goBack();
    const wrong = join(folder, 'wrong.parquet');
    await writeFile(wrong, text);
    await chooseFile(page, wrong);
    await page.locator('[data-error]', { hasText: 'does not begin as one' }).waitFor();
  });

  it('takes no file before its script can send it', async t => {
    const { page, problems, url } = await open(t);
    const release = await holdScript(page, 'upload.js');
    const requested = page.waitForRequest('**/upload.js*');
    await page.goto(url, { waitUntil: 'commit' });
    await requested;
    assert.equal(await page.locator('input[type="file"]').isEnabled(), false);
    release();
    await chooseFile(page, sample);
    await page.waitForURL('**/data/*');
    assert.deepEqual(problems, []);
  });

  it('shows its progress, and can be cancelled', async t => {
    const { page, problems, home, folder } = await open(t);
    const large = join(folder, 'large.csv');
    await writeFile(large, `a,b\n${'1,2\n'.repeat(500_000)}`);
    await slowDown(page);
    await chooseFile(page, large);
    await page.locator('[data-status]', { hasText: /^[1-9]\d*% of 1\.9 MiB$/ }).waitFor();
    assert.equal(await page.locator('[data-choose]').isVisible(), false);
    await page.getByRole('button', { name: 'Cancel' }).click();
    assert.equal(await page.locator('[data-choose]').isVisible(), true);
    assert.equal(await page.locator('[data-error]').isVisible(), false);
    while ((await stored(home)).length > 0) await page.waitForTimeout(20);
    assert.deepEqual(problems, []);
  });

  it('leaves nothing if the page is loaded again meanwhile', async t => {
    const { page, problems, home, folder } = await open(t);
    const large = join(folder, 'large.csv');
    await writeFile(large, `a,b\n${'1,2\n'.repeat(500_000)}`);
    await slowDown(page);
    await chooseFile(page, large);
    while ((await stored(home)).length === 0) await page.waitForTimeout(20);
    await page.reload();
    await page.getByRole('heading', { name: 'Upload data to learn from' }).waitFor();
    while ((await stored(home)).length > 0) await page.waitForTimeout(20);
    assert.deepEqual(problems, []);
  });

  it('says what is wrong with a file, at which line, and takes the next one', async t => {
    const { page, folder } = await open(t);
    const bad = join(folder, 'bad.csv');
    await writeFile(bad, 'a,b\n1,2\n1,2,3\n');
    await chooseFile(page, bad);
    const error = page.locator('[data-error]', { hasText: /./ });
    await error.waitFor();
    assert.equal(await error.textContent(), 'bad.csv, line 3: the record has 3 fields, the header 2.');
    await writeFile(bad, 'a;b\n1;2\n');
    await chooseFile(page, bad);
    await page.locator('[data-error]', { hasText: 'Choose the character' }).waitFor();
    await page.getByLabel('Character between columns').selectOption('semicolon');
    await chooseFile(page, bad);
    await page.waitForURL('**/data/*');
  });

  it('works by dropping one file', async t => {
    const { page, problems } = await open(t);
    await drop(page, ['a.csv', 'b.csv']);
    await page.locator('[data-error]', { hasText: 'Drop one file at a time.' }).waitFor();
    await drop(page, ['größe <b>.csv']);
    await page.waitForURL('**/data/*');
    assert.equal(await page.locator('h1').textContent(), 'größe <b>.csv');
    assert.deepEqual(problems, []);
  });

  it('is not needed: the sample is one key away', async t => {
    const { page, problems } = await open(t);
    for (
      let tabs = 0;
      tabs < 20 && (await page.locator('button:focus', { hasText: 'Try the sample' }).count()) === 0;
      tabs++
    )
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/data/*');
    assert.match((await page.locator('main').textContent()) ?? '', /5,000 rows/);
    assert.deepEqual(problems, []);
  });
});
