import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { noBrowser } from '../support/service/browser.ts';
import { ownTrainedHome } from '../support/service/serving.ts';
import { axeViolations } from '../support/web/axe.ts';
import { looks, openBrowser, openPage, signedInPage } from '../support/web/browser.ts';
import { servingPlatform, signIn } from '../support/web/platform.ts';

/** Everything that opens at a click, so that what is in it is checked too. */
const openAll = 'for (const details of document.querySelectorAll("details")) details.open = true';

/** How far elements moved by themselves while the page loaded. */
const shifts = `new Promise(resolve => {
  let sum = 0;
  new PerformanceObserver(list => { for (const { value } of list.getEntries()) sum += value; })
    .observe({ type: 'layout-shift', buffered: true });
  setTimeout(() => resolve(sum), 300);
})`;

const paint = `Math.max(...performance.getEntriesByType('paint').map(({ startTime }) => startTime))`;
const transferred = `[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
  .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`;

describe('every page', { skip: noBrowser }, () => {
  for (const look of looks)
    it(`is accessible, fits and does not move: ${look.theme}, ${look.width} pixels`, async t => {
      const home = await ownTrainedHome(t);
      const target = await servingPlatform(t, { home });
      const sample = await (await signIn(target)).submit('/platform/data/sample');
      const data = sample.headers.get('location') ?? '';
      const browser = await openBrowser(t);
      const outside = await openPage(browser, target.url, look);
      await check(outside.page, '/sign-in');
      assert.deepEqual(outside.problems, []);
      const signInUrl = target.platform.signInUrl(target.url);
      const { page, problems } = await signedInPage(browser, { url: target.url, signInUrl, ...look });
      for (const path of ['/', data, `${data}/predict`, '/predictions/one', '/runs', '/keys'])
        await check(page, path);
      assert.deepEqual(problems.splice(0), []);
      await check(page, '/predictions/none', 404);
      await check(page, '/nothing', 404);
      // The browser itself mentions the status.
      assert.deepEqual(
        problems.filter(text => !text.includes('404')),
        [],
      );
    });

  async function check(page: Page, path: string, status = 200): Promise<void> {
    const response = await page.goto(path);
    assert.equal(response?.status(), status, path);
    assert.equal(await page.evaluate(shifts), 0, `${path} moves`);
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    assert.equal(await page.evaluate(overflow), 0, `${path} is too wide`);
    await page.evaluate(openAll);
    assert.deepEqual(await axeViolations(page), [], path);
  }
});

describe('the first page', { skip: noBrowser }, () => {
  it('is under 150 KB', async t => {
    const target = await servingPlatform(t);
    const signInUrl = target.platform.signInUrl(target.url);
    const { page, problems } = await signedInPage(await openBrowser(t), { url: target.url, signInUrl });
    const bytes = await page.evaluate<number>(transferred);
    assert.ok(bytes > 5_000 && bytes < 150_000, `${bytes} bytes`);
    t.diagnostic(`${bytes} bytes, first paint after ${Math.round(await page.evaluate<number>(paint))} ms`);
    assert.deepEqual(problems, []);
  });

  it('is reached by Tab in the order of its content, and shows where the focus is', async t => {
    const home = await ownTrainedHome(t);
    const target = await servingPlatform(t, { home });
    const signInUrl = target.platform.signInUrl(target.url);
    const { page } = await signedInPage(await openBrowser(t), { url: target.url, signInUrl });
    const positions: number[] = [];
    for (let i = 0; i < 12; i++) {
      await page.keyboard.press('Tab');
      const [position, isShown] = await page.evaluate<[number, boolean]>(`(() => {
        const active = document.activeElement;
        const { outlineStyle, outlineWidth } = getComputedStyle(active);
        const isShown = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2;
        return [[...document.querySelectorAll('*')].indexOf(active), isShown];
      })()`);
      assert.ok(isShown, `the ${i + 1}th stop shows no focus`);
      positions.push(position);
    }
    const first = positions.slice(0, new Set(positions).size);
    assert.deepEqual(
      first,
      first.toSorted((a, b) => a - b),
    );
    assert.ok(first.length >= 6);
  });
});
