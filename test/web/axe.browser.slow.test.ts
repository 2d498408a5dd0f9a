import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { noBrowser } from '../support/service/browser.ts';
import { csv, history } from '../support/service/history.ts';
import { ownTrainedHome } from '../support/service/serving.ts';
import { checkLook, looks, openBrowser, openPage, ownersPage, signedInPage } from '../support/web/browser.ts';
import { makeReport } from '../support/web/made-report.ts';
import { servingPlatform, signIn } from '../support/web/platform.ts';
import { uploaded } from '../support/web/uploaded.ts';

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

/** Data with many columns, and names and values without any space. */
const wide = csv(
  history({ rows: 60 }).map((row, i) => [
    ...row,
    ...Array.from({ length: 95 }, (_, c) => (i === 0 ? `${'long'.repeat(c)}${c}` : String((i * c) % 7))),
  ]),
);
const twenty = Array.from({ length: 20 }, (_, i) => (i === 3 ? '<script>' : `class ${i}`));

describe('every page', { skip: noBrowser }, () => {
  for (const look of looks)
    it(`is accessible, fits and does not move: ${look.theme}, ${look.width} pixels`, async t => {
      const home = await ownTrainedHome(t);
      await makeReport(home, { id: 'hostile', classes: ['no', 'yes'] });
      await makeReport(home, { id: 'twenty', classes: twenty, more: 120 });
      const wideData = `/data/${await uploaded(home, wide, `${'wide'.repeat(40)}.csv`)}`;
      const target = await servingPlatform(t, { home });
      const sample = await (await signIn(target)).submit('/platform/data/sample');
      const data = sample.headers.get('location') ?? '';
      const browser = await openBrowser(t);
      const outside = await openPage(browser, target.url, look);
      await check(outside.page, '/sign-in');
      const empty = await signedInPage(browser, await servingPlatform(t), look);
      await check(empty.page, '/');
      assert.deepEqual([...outside.problems, ...empty.problems], []);
      const { page, problems } = await signedInPage(browser, target, look);
      const reports = ['one', 'hostile', 'twenty'].map(id => `/predictions/${id}`);
      for (const path of ['/', data, wideData, `${data}/predict`, ...reports, '/runs', '/keys'])
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
    await checkLook(page, path);
  }
});

describe('the first page', { skip: noBrowser }, () => {
  it('is under 150 KB', async t => {
    const { page, problems } = await ownersPage(t);
    const bytes = await page.evaluate<number>(transferred);
    assert.ok(bytes > 5_000 && bytes < 150_000, `${bytes} bytes`);
    t.diagnostic(`${bytes} bytes, first paint after ${Math.round(await page.evaluate<number>(paint))} ms`);
    assert.deepEqual(problems, []);
  });

  it('is reached by Tab in the order of its content, and shows where the focus is', async t => {
    const { page } = await ownersPage(t, { home: await ownTrainedHome(t) });
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
