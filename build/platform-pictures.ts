// Takes the pictures of the web platform in docs, of the telecom data, with Chromium.
//   npm run pictures

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { startServer } from '../src/server/server.ts';
import { openPlatform } from '../src/web/platform.ts';

const root = join(import.meta.dirname, '../..');
const WIDTH = 1120;
const PERSONA = 'section[aria-labelledby="persona"]';
const DATA_BYTES = 10 * 2 ** 30;

const home = await mkdtemp(join(tmpdir(), 'rowcast-pictures-'));
const platform = openPlatform({ dataBytes: DATA_BYTES });
const service = await startServer({
  home,
  host: '127.0.0.1',
  port: 0,
  storedKeys: true,
  extension: platform,
});
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--headless=new', '--no-sandbox'],
});
try {
  const page = await browser.newPage({ baseURL: service.url, viewport: { width: WIDTH, height: 900 } });
  await page.goto(platform.signInUrl(service.url));
  await page.locator('[data-file]').setInputFiles(join(root, 'test/data/telco-customer-churn.csv'));
  await page.getByLabel('Type of SeniorCitizen').selectOption('categorical');
  await page.getByRole('button', { name: 'Save types and uses' }).click();
  await page.getByText('Saved.').waitFor();
  await page.reload();
  await take(page, 'columns', { from: '.trail', to: '#columns tr:nth-child(8)' });
  await page.getByRole('button', { name: 'Choose a column to predict' }).click();
  await page.getByRole('link', { name: 'Churn', exact: true }).click();
  await page.getByLabel('Report ID').fill('telco-churn');
  await page.getByRole('button', { name: 'Start training' }).click();
  await page.waitForURL('**/predictions/telco-churn', { timeout: 300_000 });
  await take(page, 'report', { from: '.trail', to: '#curves' });
  await page.getByLabel('How they change along a column').selectOption({ label: 'tenure' });
  await page.getByText('Probabilities by tenure').first().waitFor();
  await take(page, 'persona', { from: PERSONA, to: PERSONA });
} finally {
  await browser.close();
  await service.close(1_000);
  await rm(home, { recursive: true });
}

/** Writes a picture of the page from one element to another, in both themes. */
async function take(page: Page, name: string, { from, to }: { from: string; to: string }): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.waitForTimeout(500);
    const [first, last] = [await page.locator(from).boundingBox(), await page.locator(to).boundingBox()];
    if (first === null || last === null) throw new Error(`the page does not show ${from} and ${to}`);
    const margin = 24;
    const scrolled = Number(await page.evaluate('scrollY'));
    const y = first.y + scrolled - margin;
    const height = last.y + last.height + margin - (first.y - margin);
    const path = join(root, `docs/${name}-${colorScheme}.png`);
    await page.screenshot({ path, fullPage: true, clip: { x: 0, y, width: WIDTH, height } });
  }
}
