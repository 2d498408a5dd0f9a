import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { newFolder } from '../../support/folder.ts';
import { exits, rowcast } from '../../support/in-process.ts';
import { root } from '../../support/root.ts';
import { expectedNumbers, importedHome, importedRows } from '../../support/service/imported-home.ts';
import { slow } from '../../support/slow.ts';
import { type OwnedPlatform, ownedPlatform } from '../../support/web/platform.ts';
import { scoredRun } from '../../support/web/runs.ts';

async function platformWithImports(t: TestContext): Promise<OwnedPlatform> {
  return ownedPlatform(t, { home: await importedHome(t) });
}

/** The texts of a list of facts, by their names. */
function factsOn(page: string): Record<string, string> {
  const found = page.matchAll(/<dt>([^<]*)<\/dt><dd>([^<]*)<\/dd>/g);
  return Object.fromEntries(Array.from(found, ([, name, text]) => [name, text]));
}

describe('the page of an imported report', () => {
  it('says what it predicts and where its model comes from, without metrics', async t => {
    const { browser } = await platformWithImports(t);
    const predicted = { number: 'a number', numbers: 'the numbers low, high, mid', classes: '2 classes' };
    for (const [id, text] of Object.entries(predicted)) {
      const page = await browser.page(`/predictions/${id}`);
      const facts = factsOn(page);
      assert.equal(facts.Predicts, text);
      assert.match(facts.Library ?? '', /^LightGBM \(v\d\)$/);
      assert.match(facts['SHA-256 of the file'] ?? '', /^[0-9a-f]{64}$/);
      assert.doesNotMatch(page, /Testing results|Drivers|<form [^>]*persona/);
    }
    assert.match(await browser.page('/predictions/number'), /Predicts <strong>[^\n]*amount/);
    assert.match(await browser.page('/'), /\/predictions\/numbers"/);
  });

  it('has commands that work', async t => {
    const { browser, url, home } = await platformWithImports(t);
    for (const id of ['number', 'classes']) {
      const page = await browser.page(`/predictions/${id}`);
      const command = /id="curl-persona"[^>]*>([^<]*)</.exec(page)?.[1] ?? '';
      const body = /-d (?:'|&#39;)(.*)(?:'|&#39;)$/.exec(command)?.[1] ?? '';
      const features = JSON.parse(body.replaceAll('&quot;', '"')).features;
      const pairs = Object.keys(features).map(name => `${name}=`);
      const { code, stderr } = await rowcast(['predict', '--report', id, '--home', home, ...pairs]);
      assert.equal(code, 0, `${url}: ${stderr}`);
    }
  });

  it('has metrics, charts and a persona to try if labelled rows have tested the model', async t => {
    const { browser, home } = await platformWithImports(t);
    const [file, rows] = ['models/telecom-lightgbm.txt', 'telecom-history.csv'];
    const args = ['--report', 'tested', '--classes', 'no,yes', '--predict', 'churned', '--home', home];
    const test = ['--test', join(root, 'fixtures', rows)];
    await exits(rowcast(['import', join(root, 'fixtures', file), ...args, ...test]), 0);
    const page = await browser.page('/predictions/tested');
    const facts = factsOn(page);
    assert.deepEqual(
      [facts['Testing accuracy'], facts.Library, facts['Validation accuracy']],
      ['82.8%', 'LightGBM (v4)', undefined],
    );
    assert.match(page, /5,000 labelled rows tested the model\. It is right for 4,142 of them/);
    for (const part of ['id="roc"', 'id="calibration"', 'id="driver-chart"', 'Notes of the import'])
      assert.ok(page.includes(part), part);
    assert.match(page, /role="status">Most likely /);
    assert.match(await browser.page('/'), /tested<\/a>[\s\S]*?82\.8%/);
    const results = await browser.fetch('/platform/reports/tested/testing-results.csv');
    assert.match(await results.text(), /,actual_churned,predicted_churned,probability_no,probability_yes\n/);
  });

  it('has the errors of a model of numbers, and its drivers', async t => {
    const { browser, home } = await platformWithImports(t);
    const { rows, predictions } = await expectedNumbers();
    const test = join(home, 'labelled.csv');
    const lines = rows.map((row, i) => [...row, predictions[i]?.[0]].join(','));
    await writeFile(test, `${['monthly_charges,age,balance,constant,amount', ...lines].join('\n')}\n`);
    const file = join(root, 'fixtures/models/lightgbm-2.3-regression.txt');
    const args = ['--report', 'tested', '--predict', 'amount', '--home', home, '--test', test];
    await exits(rowcast(['import', file, ...args]), 0);
    const page = await browser.page('/predictions/tested');
    assert.equal(factsOn(page)['R²'], '1.000');
    assert.match(factsOn(page).RMSE ?? '', /^0; always the median: \d/);
    assert.ok(page.includes('id="driver-chart"'));
  });

  it('has no persona to try, no curve and no testing results', async t => {
    const { browser } = await platformWithImports(t);
    for (const id of ['number', 'classes']) {
      for (const name of ['persona', 'curve'])
        assert.equal((await browser.submit(`/platform/reports/${id}/${name}`)).status, 404);
      const results = await browser.fetch(`/platform/reports/${id}/testing-results.csv`, {
        headers: { accept: 'application/json' },
      });
      assert.equal(results.status, 404);
      assert.match(await results.text(), /was imported, so it has no testing results/);
    }
  });

  slow('leads to runs of uploads, which give the same bytes as rowcast score', async t => {
    const { browser, home } = await platformWithImports(t);
    const folder = await newFolder(t);
    const at = (name: string): string => join(folder, name);
    await writeFile(at('in.csv'), importedRows(200));
    await writeFile(at('x.csv'), 'x\n3\n9\n4\n');
    for (const [report, file] of [
      ['number', 'in.csv'],
      ['numbers', 'in.csv'],
      ['classes', 'in.csv'],
      ['unbounded', 'x.csv'],
    ] as const) {
      const { id, ...run } = await scoredRun(browser, await readFile(at(file)), { report, file });
      assert.equal(run.status, 'finished', JSON.stringify(run));
      assert.equal(run.rows.rejected, report === 'unbounded' ? 1 : 0);
      const output = at(`${report}.csv`);
      await rowcast(['score', at(file), '-o', output, '--report', report, '--home', home]);
      const download = await browser.fetch(`/platform/runs/${id}/output`);
      assert.equal(await download.text(), await readFile(output, 'utf8'));
      assert.ok((await browser.page('/runs')).includes(report));
    }
  });

  it('is gone once the report is deleted', async t => {
    const { browser } = await platformWithImports(t);
    assert.equal((await browser.submit('/platform/reports/number/delete')).status, 303);
    const gone = await browser.fetch('/predictions/number', { headers: { accept: 'application/json' } });
    assert.equal(gone.status, 404);
  });
});
