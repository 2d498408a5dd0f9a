import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { noBrowser } from '../../../support/service/browser.ts';
import { checkLook, looks, ownersPage } from '../../../support/web/browser.ts';
import { homeOfNumbers } from '../../../support/web/home-of-numbers.ts';

describe('the page of a report of numbers in a browser', { skip: noBrowser }, () => {
  for (const look of looks)
    it(`is accessible and fits: ${look.theme}, ${look.width} pixels`, async t => {
      const { page, problems } = await ownersPage(t, { home: await homeOfNumbers(t), look });
      await page.goto('/predictions/spent');
      const before = await page.locator('#summary').textContent();
      await page.getByLabel('visits').first().fill('59');
      await page.locator('#summary', { hasNotText: before ?? '' }).waitFor();
      await checkLook(page);
      assert.deepEqual(problems, []);
    });
});
