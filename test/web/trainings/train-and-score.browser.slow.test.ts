import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { newFolder } from '../../support/folder.ts';
import { exits, rowcast } from '../../support/rowcast.ts';
import { noBrowser } from '../../support/service/browser.ts';
import { axeViolations } from '../../support/web/axe.ts';
import { checkLook, chooseFile, ownersPage } from '../../support/web/browser.ts';
import { slowHistory } from '../../support/web/slow-history.ts';
import { fixture, uploaded } from '../../support/web/uploaded.ts';

describe('in a browser, with the keyboard', { skip: noBrowser }, () => {
  it('a report is trained, a file is scored, and its rows are those of rowcast score', async t => {
    const home = await newFolder(t);
    const data = await uploaded(home, await fixture('telecom-history.csv', 600), 'telecom.csv');
    const { page, problems } = await ownersPage(t, { home, look: { width: 360 } });

    await page.goto(`/data/${data}/predict`);
    assert.deepEqual(await axeViolations(page), []);
    await page.getByRole('link', { name: 'churned' }).press('Enter');
    await page.waitForURL(/column=/);
    await checkLook(page);
    await page.getByLabel('Report ID').fill('churn');
    await page.getByLabel('Report ID').press('Enter');
    await page.waitForURL(/\/predictions\/churn$/, { timeout: 60_000 });

    const personas = join(await newFolder(t), 'personas.csv');
    await writeFile(personas, `${await fixture('telecom-history.csv', 300)}too,few\n`);
    await page.goto('/runs?report=churn');
    assert.deepEqual(await axeViolations(page), []);
    await chooseFile(page, personas);
    await page.getByText('300 rows scored, 1 rejected.').waitFor();
    assert.deepEqual(await axeViolations(page), []);
    const arriving = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download the output' }).press('Enter');
    const download = await arriving;
    assert.equal(download.suggestedFilename(), 'personas-scored.csv');
    const output = `${personas}.out`;
    await exits(rowcast(['score', personas, '-o', output, '--report', 'churn', '--home', home]), 1);
    assert.deepEqual(await readFile(await download.path()), await readFile(output));

    await page.getByRole('button', { name: 'Delete personas.csv' }).press('Enter');
    await page.getByRole('dialog', { name: 'Delete the run of personas.csv?' }).waitFor();
    assert.deepEqual(await axeViolations(page), []);
    await page.getByRole('button', { name: 'Delete the run' }).press('Enter');
    await page.getByText('The run of personas.csv was deleted.').waitFor();

    const row = (await fixture('telecom-history.csv', 300)).split('\n').slice(1).join('\n');
    const large = join(await newFolder(t), 'large.csv');
    await writeFile(large, `${await fixture('telecom-history.csv', 300)}${row.repeat(5_000)}`);
    await chooseFile(page, large);
    // Once the file has arrived, its run is in the table.
    await page.getByRole('button', { name: 'Cancel large.csv' }).press('Enter');
    await page.getByRole('button', { name: 'Cancel the scoring' }).press('Enter');
    await page.getByText('No file was scored here yet.').waitFor();
    assert.deepEqual(problems, []);
  });

  it('a training survives a reload, and can be cancelled', async t => {
    const home = await newFolder(t);
    const data = await uploaded(home, slowHistory.csv());
    const { page, problems } = await ownersPage(t, { home, look: { theme: 'dark' } });
    await page.goto(`/data/${data}/predict?column=${slowHistory.column}`);
    await page.getByRole('button', { name: 'Start training' }).press('Enter');
    await page.getByText('Comparing models.').waitFor({ timeout: 60_000 });
    assert.deepEqual(await axeViolations(page), []);
    await page.reload();
    await page.getByText('Comparing models.').waitFor();
    await page.getByRole('button', { name: 'Cancel the training' }).press('Enter');
    await page.getByText('The training was cancelled').waitFor();
    await page.getByRole('heading', { name: 'Predict outcome' }).waitFor();
    assert.deepEqual(await axeViolations(page), []);
    assert.deepEqual(problems, []);
  });
});
