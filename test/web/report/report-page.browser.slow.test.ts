import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { listen } from '../../support/listen.ts';
import { noBrowser } from '../../support/service/browser.ts';
import { ownTrainedHome } from '../../support/service/serving.ts';
import { holdScript, ownersPage } from '../../support/web/browser.ts';
import { hostile, makeReport } from '../../support/web/made-report.ts';

const twenty = Array.from({ length: 20 }, (_, i) => `class ${i}`);

/** The bar's width of a class in percent. */
const widthOf = async (page: Page, index: number): Promise<number> =>
  Number.parseFloat((await page.locator(`[data-class="${index}"] .bar`).getAttribute('width')) ?? '');

describe('the page of a report in a browser', { skip: noBrowser }, () => {
  async function open(t: TestContext) {
    const home = await ownTrainedHome(t);
    await makeReport(home, { id: 'hostile', classes: ['no', 'yes'] });
    await makeReport(home, { id: 'twenty', classes: twenty });
    return ownersPage(t, { home });
  }

  it('predicts while a persona is typed, and shows errors at the field', async t => {
    const { page, problems } = await open(t);
    await page.goto('/predictions/hostile');
    const before = await widthOf(page, 1);
    const command = page.locator('#curl-persona');
    const field = page.getByLabel(hostile.amount, { exact: true });
    await field.fill('99.5');
    await page.locator('#curl-persona', { hasText: '99.5' }).waitFor();
    assert.notEqual(await widthOf(page, 1), before);
    const shown = await page.locator('[data-class="1"] data').getAttribute('value');
    assert.equal(await widthOf(page, 1), 100 * Number(shown));
    assert.match((await command.textContent()) ?? '', /99\.5/);
    await field.fill('');
    await field.pressSequentially('e');
    await page.locator('#field-c0-error', { hasText: 'Enter a number' }).waitFor();
    assert.equal(await field.getAttribute('aria-invalid'), 'true');
    await field.fill('1');
    await page.locator('#field-c0-hint').waitFor();
    assert.equal(await field.getAttribute('aria-invalid'), null);
    await page.getByRole('link', { name: 'Typical persona' }).click();
    await page.locator(`[data-class="1"] .bar[width="${before}%"]`).waitFor({ state: 'attached' });
    assert.deepEqual(problems, []);
  });

  it('predicts what was typed before its script was loaded', async t => {
    const { page, problems } = await open(t);
    const release = await holdScript(page, 'persona.js');
    const requested = page.waitForRequest('**/persona.js*');
    await page.goto('/predictions/hostile', { waitUntil: 'commit' });
    await requested;
    await page.getByLabel(hostile.amount, { exact: true }).fill('99.5');
    release();
    await page.locator('#curl-persona', { hasText: '99.5' }).waitFor();
    assert.deepEqual(problems, []);
  });

  it('keeps the most likely of many classes first while the persona is changed', async t => {
    const { page, problems } = await open(t);
    await page.goto('/predictions/twenty');
    await page.getByLabel(hostile.amount, { exact: true }).fill('77.25');
    await page.locator('#curl-persona', { hasText: '77.25' }).waitFor();
    const shown = await page
      .locator('#probabilities data')
      .evaluateAll(items => items.map(item => Number((item as unknown as { value: string }).value)));
    assert.deepEqual(
      shown,
      [...shown].sort((a, b) => b - a),
    );
    assert.deepEqual(problems, []);
  });

  it('draws the curve along the chosen column, and keeps its table open', async t => {
    const { page, problems } = await open(t);
    await page.goto('/predictions/hostile');
    const numbers = page.locator('#curve details');
    await numbers.locator('summary').click();
    await page.getByLabel('How they change along a column').selectOption('c2');
    await page.locator('#curve h3', { hasText: 'Probabilities by ecnis' }).waitFor();
    assert.equal(await numbers.evaluate(details => details.hasAttribute('open')), true);
    assert.equal(await page.locator('#curve tbody tr').count(), 50);
    assert.deepEqual(problems, []);
  });

  it('drops responses to earlier input', async t => {
    const { page } = await open(t);
    await page.goto('/predictions/hostile');
    let held: (() => Promise<void>) | undefined;
    await page.route('**/persona', async route => {
      if (held !== undefined) return route.continue();
      await new Promise<void>(resolve => {
        held = async () => {
          await route.continue().catch(() => {}); // aborted by the page
          resolve();
        };
      });
    });
    const field = page.getByLabel(hostile.amount, { exact: true });
    await field.fill('1');
    while (held === undefined) await page.waitForTimeout(20);
    await field.fill('77.25');
    await page.locator('#curl-persona', { hasText: '77.25' }).waitFor();
    const shown = await page.locator('#probabilities').textContent();
    await held();
    await page.waitForTimeout(300);
    assert.equal(await page.locator('#probabilities').textContent(), shown);
  });

  it('copies the commands', async t => {
    const { page, context, url } = await open(t);
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: url });
    await page.goto('/predictions/one');
    await page.locator('[data-copy="score-command"]').click();
    assert.equal(
      await page.evaluate('navigator.clipboard.readText()'),
      `rowcast score personas.csv --report one --url '${url}' -o scored.csv`,
    );
  });

  it('shows commands with the address of the page, which a proxy may hide from the service', async t => {
    const { page, url } = await open(t);
    const proxy = createServer((incoming, response) => {
      const headers = { ...incoming.headers, host: 'localhost' };
      const passed = request(url + incoming.url, { method: incoming.method, headers }, answer => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      incoming.pipe(passed);
    });
    const address = await listen(t, proxy);
    // Cookies do not depend on the port.
    await page.goto(`${address}/predictions/one`);
    await page.locator('#score-command', { hasText: `--url '${address}'` }).waitFor();
    for (const id of ['curl-persona', 'curl-batch'])
      assert.match(
        (await page.locator(`#${id}`).textContent()) ?? '',
        new RegExp(`^curl -fsS '${address}/user/`),
      );
  });

  it('works without modules', async t => {
    const { page, context, browser } = await open(t);
    const plain = await browser.newContext({
      javaScriptEnabled: false,
      storageState: await context.storageState(),
    });
    const other = await plain.newPage();
    await other.goto(new URL('/predictions/hostile', page.url()).href);
    const before = await widthOf(other, 1);
    await other.getByLabel(hostile.amount, { exact: true }).fill('99');
    await other.getByRole('button', { name: 'Predict', exact: true }).click();
    await other.waitForURL('**/predictions/hostile#persona');
    assert.notEqual(await widthOf(other, 1), before);
    assert.equal(await other.getByLabel(hostile.amount, { exact: true }).inputValue(), '99');
    await other.getByRole('link', { name: 'Typical persona' }).click();
    assert.equal(await widthOf(other, 1), before);
  });
});
