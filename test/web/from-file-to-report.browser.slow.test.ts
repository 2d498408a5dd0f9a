import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { parse } from 'csv-parse/sync';
import type { Browser, Page } from 'playwright-core';
import { addKey, type NewKey } from '../../src/server/auth/key-store.ts';
import { serve } from '../cli/commands/serving.ts';
import { newFolder } from '../support/folder.ts';
import { exits, rowcast } from '../support/rowcast.ts';
import { noBrowser } from '../support/service/browser.ts';
import { chooseFile, openBrowser, openPage } from '../support/web/browser.ts';
import { slowHistory } from '../support/web/slow-history.ts';
import { fixture } from '../support/web/uploaded.ts';

type Serving = Awaited<ReturnType<typeof serve>>;

const everything: NewKey = { reports: 'all', scopes: ['predict', 'report', 'testing-results', 'platform'] };

/** A browser profile that has signed in with a key. */
async function signIn(
  browser: Browser,
  url: string,
  key: string,
): Promise<{ page: Page; problems: string[] }> {
  const { page, problems } = await openPage(browser, url);
  await page.goto('/');
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  return { page, problems };
}

async function open(t: TestContext) {
  const home = await newFolder(t);
  const folder = await newFolder(t);
  const key = await addKey(home, 'ann', everything);
  return { home, folder, key, browser: await openBrowser(t) };
}

async function kill({ child }: Serving): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

const stored = (home: string): Promise<string[]> => readdir(join(home, 'data')).catch(() => []);

/** Whether an upload has the file for its bytes. */
async function hasBytes(home: string): Promise<boolean> {
  const [name = ''] = await stored(home);
  const files = await readdir(join(home, 'data', name)).catch((): string[] => []);
  return name !== '' && files.includes('data.csv');
}

/** The probabilities that the page shows for the persona in its form. */
const shownProbabilities = (page: Page): Promise<number[]> =>
  page
    .locator('#probabilities data')
    .evaluateAll(shown => shown.map(one => Number(one.getAttribute('value'))));

describe('in a browser, with a server of its own', { skip: noBrowser }, () => {
  it('a file becomes a report, whose id gives the same probabilities on the command line', async t => {
    const { home, folder, key, browser } = await open(t);
    const server = await serve(t, { ROWCAST_HOME: home });
    const { page, problems } = await signIn(browser, server.url, key);
    const history = join(folder, 'customers.csv');
    await writeFile(history, await fixture('telecom-history.csv', 800));

    await chooseFile(page, history);
    await page.waitForURL('**/data/*');
    await page.getByRole('button', { name: 'Choose a column to predict' }).click();
    await page.getByRole('link', { name: 'churned' }).click();
    await page.getByRole('button', { name: 'Start training' }).click();
    await page.waitForURL('**/predictions/*', { timeout: 120_000 });
    const report = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    assert.equal(report, 'customers-churned');

    await page.getByLabel('tenure', { exact: true }).fill('2');
    const command = page.locator('#curl-persona', { hasText: '"tenure": 2,' });
    await command.waitFor();
    const [, body = ''] = /-d '(.*)'/s.exec((await command.textContent()) ?? '') ?? [];
    const { features } = JSON.parse(body) as { features: Record<string, string | number> }; // what the page shows
    const persona = join(folder, 'persona.csv');
    await writeFile(persona, `${Object.keys(features).join(',')}\n${Object.values(features).join(',')}\n`);
    const args = ['score', persona, '-o', 'scored.csv', '--report', report, '--url', server.url];
    await exits(rowcast(args, { cwd: folder, env: { ROWCAST_API_KEY: key } }), 0);
    const [row] = parse(await readFile(join(folder, 'scored.csv')), { columns: true }) as Record<
      string,
      string
    >[]; // one row
    assert.deepEqual(
      await shownProbabilities(page),
      ['no', 'yes'].map(name => Number(row?.[`probability_${name}`])),
    );

    const arriving = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download CSV' }).click();
    const results = await readFile(await (await arriving).path(), 'utf8');
    assert.equal(results.trimEnd().split('\n').length, 161);
    assert.deepEqual(problems, []);
    await server.end();
  });

  it('a server that is killed in an upload and in a training leaves nothing that passes for complete', async t => {
    const { home, folder, key, browser } = await open(t);
    const history = join(folder, 'slow.csv');
    await writeFile(history, slowHistory.csv());
    const first = await serve(t, { ROWCAST_HOME: home });
    const { page } = await signIn(browser, first.url, key);
    const devTools = await page.context().newCDPSession(page);
    const upload = (bytesPerSecond: number) =>
      devTools.send('Network.emulateNetworkConditions', {
        offline: false,
        latency: 0,
        downloadThroughput: -1,
        uploadThroughput: bytesPerSecond,
      });
    await upload(300_000);
    await chooseFile(page, history);
    // The file after the one that says whose upload it is: without that, it is taken for one of another machine.
    for (let waits = 0; !(await hasBytes(home)); waits++) {
      assert.ok(waits < 3_000, `there is no upload: ${await page.locator('main').innerText()}`);
      await page.waitForTimeout(20);
    }
    await kill(first);
    await page.getByRole('alert').waitFor();

    const second = await serve(t, { ROWCAST_HOME: home });
    const again = await signIn(browser, second.url, key);
    assert.deepEqual(await stored(home), []);
    await chooseFile(again.page, history);
    await again.page.waitForURL('**/data/*');
    const data = new URL(again.page.url()).pathname;
    await again.page.goto(`${data}/predict?column=${slowHistory.column}`);
    await again.page.getByRole('button', { name: 'Start training' }).click();
    await again.page.getByText('Comparing models.').waitFor({ timeout: 60_000 });
    await kill(second);
    await again.page.getByText('The service does not respond.').waitFor();

    const third = await serve(t, { ROWCAST_HOME: home });
    const after = await signIn(browser, third.url, key);
    const { pathname, search } = new URL(again.page.url());
    await after.page.goto(pathname + search);
    await after.page.getByText('The training was interrupted').waitFor();
    await after.page.goto('/');
    assert.equal(await after.page.getByText('No reports yet').count(), 1);
    await third.end();
  });
});
