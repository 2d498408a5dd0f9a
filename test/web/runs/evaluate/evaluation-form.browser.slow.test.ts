import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readReport } from '../../../../src/models/store/report-store.ts';
import { newFolder } from '../../../support/folder.ts';
import { noBrowser } from '../../../support/service/browser.ts';
import { ownTrainedHome } from '../../../support/service/serving.ts';
import { axeViolations } from '../../../support/web/axe.ts';
import { checkLook, chooseFile, looks, openBrowser, signedInPage } from '../../../support/web/browser.ts';
import { servingPlatform, signIn } from '../../../support/web/platform.ts';
import { scoredRun } from '../../../support/web/runs.ts';

describe('the outcomes of a run in a browser', { skip: noBrowser, timeout: 300_000 }, () => {
  it('are chosen, refused, chosen again and evaluated, in light and dark', async t => {
    const home = await ownTrainedHome(t);
    const target = await servingPlatform(t, { home });
    const { classes = [] } = await readReport(home, 'one');
    const folder = await newFolder(t);
    const [wrong, right] = [join(folder, 'wrong.csv'), join(folder, 'right.csv')];
    const numbers = Array.from({ length: 300 }, (_, i) => i);
    await writeFile(wrong, 'id,left\np1,yes\n');
    await writeFile(
      right,
      `id,outcome\n${numbers.map(i => `p${i},${classes[Number(i % 50 > 20)]}\n`).join('')}`,
    );
    const plan = (i: number): string => (i % 3 === 0 ? 'Basic' : 'プレミアム');
    const personas = `id,monthly amount,plan,__proto__\n${numbers.map(i => `p${i},${i % 50},${plan(i)},${i % 7}\n`).join('')}`;
    const browser = await openBrowser(t);
    for (const look of looks) {
      const { id } = await scoredRun(await signIn(target), personas);
      const { page, problems } = await signedInPage(browser, target, look);
      await page.goto(`/runs?run=${id}`);
      assert.deepEqual(await axeViolations(page), []);
      await page.getByRole('link', { name: 'Evaluate', exact: true }).press('Enter');
      await page.getByRole('heading', { name: 'Did the predictions' }).waitFor();
      assert.deepEqual(await axeViolations(page), []);
      await chooseFile(page, wrong);
      const message = 'wrong.csv has no column "outcome"';
      await page
        .locator('.field', { has: page.getByLabel('Column with') })
        .getByText(message)
        .waitFor();
      assert.deepEqual(await axeViolations(page), []);
      await page.getByLabel('Column with the outcome').fill('left');
      await page.getByRole('group', { name: 'Columns that both' }).getByLabel('plan').check();
      await page.getByRole('button', { name: 'Evaluate the same file again' }).click();
      await page
        .getByRole('group', { name: 'Which outcome' })
        .getByText('wrong.csv has no column "plan"')
        .waitFor();
      assert.deepEqual(await axeViolations(page), []);
      await page.getByLabel('Column with the outcome').fill('outcome');
      await page.getByRole('group', { name: 'Columns that both' }).getByLabel('plan').uncheck();
      await page.getByRole('group', { name: 'Columns whose values' }).getByLabel('plan').check();
      await chooseFile(page, right);
      await page.getByRole('heading', { name: 'Evaluation of outcome' }).waitFor();
      await page.getByRole('heading', { name: 'By plan', exact: true }).waitFor();
      await checkLook(page);
      const { SHOTS } = process.env;
      if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}-${look.theme}.png`, fullPage: true });
      // The browser itself mentions the status of what was refused.
      assert.deepEqual(
        problems.filter(text => !text.includes('422')),
        [],
      );
    }
  });
});
