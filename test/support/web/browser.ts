import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import type { Scope } from '../shared.ts';
import { axeViolations } from './axe.ts';
import { type PlatformTarget, servingPlatform } from './platform.ts';

/** Four times as long as by default, for busy machines. */
const TIMEOUT_MS = 120_000;

/** Chromium, closed when the test ends. */
export async function openBrowser(t: Scope): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, args: ['--headless=new', '--no-sandbox'] });
  t.after(() => browser.close());
  return browser;
}

export interface Look {
  width?: number;
  height?: number;
  theme?: 'light' | 'dark';
}

/** The looks in which pages are checked: each theme and each width once. */
export const looks = [
  { theme: 'light', width: 360 },
  { theme: 'dark', width: 1600 },
] as const satisfies Look[];

/** A new profile with a page that must cause no message of the console, no error and no request to another host. */
export async function openPage(
  browser: Browser,
  url: string,
  { width = 1280, height = 900, theme = 'light' }: Look = {},
): Promise<{ page: Page; context: BrowserContext; problems: string[] }> {
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width, height },
    colorScheme: theme,
    acceptDownloads: true,
  });
  context.setDefaultTimeout(TIMEOUT_MS);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', message => {
    if (/^(warning|error)$/.test(message.type())) problems.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', error => problems.push(`error: ${error.message}`));
  page.on('request', request => {
    const { protocol, origin } = new URL(request.url());
    if (/^https?:$/.test(protocol) && origin !== new URL(url).origin)
      problems.push(`request to ${request.url()}`);
  });
  return { page, context, problems };
}

/** A page that has signed in as the owner of a platform. */
export async function signedInPage(browser: Browser, { url, platform }: PlatformTarget, look: Look = {}) {
  const opened = await openPage(browser, url, look);
  await opened.page.goto(platform.signInUrl(url));
  assert.equal(new URL(opened.page.url()).pathname, '/');
  return opened;
}

/** A platform, and a browser whose page has signed in as its owner. */
export async function ownersPage(
  t: Scope,
  { look, ...options }: Parameters<typeof servingPlatform>[1] & { look?: Look } = {},
) {
  const target = await servingPlatform(t, options);
  const browser = await openBrowser(t);
  return { ...target, browser, ...(await signedInPage(browser, target, look)) };
}

/** Opens everything that opens at a click, and checks that all of a page is accessible and fits. */
export async function checkLook(page: Page, what?: string): Promise<void> {
  await page.evaluate('for (const details of document.querySelectorAll("details")) details.open = true');
  assert.deepEqual(await axeViolations(page), [], what);
  const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  assert.ok(Number(overflow) <= 0, `${what ?? page.url()} is ${overflow} wider than the window`);
}

/** Chooses a file as soon as the page can take one. */
export const chooseFile = (page: Page, path: string): Promise<void> =>
  page.locator('input[type="file"]:enabled').setInputFiles(path);

/** Holds back a script of the pages until it is released. */
export async function holdScript(page: Page, name: string): Promise<() => void> {
  const gate = new EventEmitter();
  await page.route(`**/${name}*`, async route => {
    await once(gate, 'open');
    await route.continue();
  });
  return () => void gate.emit('open');
}
