import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { writeRow } from '../../../src/base/write-row.ts';
import { addKey } from '../../../src/server/auth/key-store.ts';
import { newFolder } from '../../support/folder.ts';
import { exits, rowcast } from '../../support/in-process.ts';
import { root } from '../../support/root.ts';
import { bin } from '../../support/rowcast.ts';
import { expectedNumbers, importedHome, importedRows } from '../../support/service/imported-home.ts';
import { ownTrainedHome } from '../../support/service/serving.ts';
import { shared } from '../../support/shared.ts';
import { slow } from '../../support/slow.ts';
import { hostile, makeReport, platformWithMade } from '../../support/web/made-report.ts';
import {
  ownedPlatform,
  type SignedIn,
  servingPlatform,
  signIn,
  signInWithKey,
} from '../../support/web/platform.ts';
import { scoredRun } from '../../support/web/runs.ts';
import { fixture } from '../../support/web/uploaded.ts';

const twenty = Array.from({ length: 20 }, (_, i) =>
  i === 3 ? '<script>' : i === 4 ? '\u202eabc' : `class ${i}`,
);

/** The text of markup without nested tags. */
const unescaped = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

/** The persona of the curl command on a page, as a POSIX shell would pass it on. */
function bodyOfCommand(page: string): { id: string; features: Record<string, unknown> } {
  const command = unescaped(/id="curl-persona"[^>]*>([^<]*)</.exec(page)?.[1] ?? '');
  const quoted = command.slice(command.indexOf('-d ') + 3);
  return JSON.parse(quoted.slice(1, -1).replaceAll(`'\\''`, "'"));
}

/** The probabilities in the list of a page, by class index. */
function probabilitiesOn(page: string): number[] {
  const found = [...page.matchAll(/<li data-class="(\d+)">.*?<data value="([^"]*)">/gs)];
  const probabilities: number[] = [];
  for (const [, index, value] of found) probabilities[Number(index)] = Number(value);
  return probabilities;
}

/** What /user/persona says. */
async function predicted(url: string, key: string, body: unknown): Promise<number[]> {
  const response = await fetch(`${url}/user/persona`, {
    method: 'POST',
    headers: { authorization: `ApiKey ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  assert.equal(response.status, 200, await response.clone().text());
  const { probabilities } = (await response.json()) as { probabilities: Record<string, number> };
  return Object.values(probabilities);
}

/** The controls of the form and their values. */
function fieldsOf(page: string): Record<string, string> {
  const inputs = [...page.matchAll(/<input type="[^"]*" id="[^"]*" name="(c\d+)"[^>]*? value="([^"]*)"/g)];
  const selects = [...page.matchAll(/<select id="[^"]*" name="(c\d+)".*?<\/select>/gs)];
  return Object.fromEntries([
    ...inputs.map(([, name = '', value = '']) => [name, unescaped(value)]),
    ...selects.map(([text, name = '']) => [name, /value="([^"]*)" selected/.exec(text)?.[1] ?? '']),
  ]);
}

const send = (browser: SignedIn, path: string, fields: Record<string, string>): Promise<Response> =>
  browser.fetch(path, { method: 'POST', body: new URLSearchParams(fields) });

describe('the page of a report', () => {
  const platform = shared(async suite => {
    const home = await ownTrainedHome(suite);
    const message = '"<script>" alone nearly determines the class.';
    const members = { warnings: [{ code: 'leak' as const, message }], predicts: '<b>outcome</b>' };
    await makeReport(home, { id: 'hostile', classes: ['no', '<script>'] });
    await makeReport(home, { id: 'twenty', classes: twenty, members });
    const at = await ownedPlatform(suite, { home });
    return { ...at, key: await addKey(home, 'program', { reports: 'all', scopes: ['predict'] }) };
  });

  it('has its id at the end of the address, and everything about it', async () => {
    const page = await platform().browser.page('/predictions/one');
    assert.match(page, /<h1>one<\/h1>/);
    for (const id of ['tech-specs', 'drivers', 'testing-results', 'persona', 'use-it'])
      assert.match(page, new RegExp(`<h2 id="${id}">`));
    for (const chart of ['accuracy', 'driver-chart', 'confusion', 'roc', 'calibration', 'response'])
      assert.match(page, new RegExp(`<figure class="chart" id="${chart}"`), chart);
    assert.match(
      page,
      /<details><summary>Models that were compared<\/summary><ul class="notes"><li>Candidate, /,
    );
    assert.match(page, /rowcast score personas\.csv --report one --url &#39;http:\/\/127\.0\.0\.1:\d+&#39;/);
    assert.match(page, /id="report-id"[^>]*>one</);
  });

  it('has the most likely classes first if there are too many to see them all', async () => {
    const page = await platform().browser.page('/predictions/twenty');
    const shown = [...page.matchAll(/<li data-class="\d+">.*?<data value="([^"]*)">/gs)].map(([, value]) =>
      Number(value),
    );
    assert.equal(shown.length, twenty.length);
    assert.deepEqual(
      shown,
      [...shown].sort((a, b) => b - a),
    );
  });

  it('shows the probabilities that /user/persona gives for its persona', async () => {
    const { browser, url, key } = platform();
    for (const id of ['one', 'hostile', 'twenty']) {
      const page = await browser.page(`/predictions/${id}`);
      const body = bodyOfCommand(page);
      assert.equal(body.id, id);
      const expected = await predicted(url, key, body);
      assert.deepEqual(probabilitiesOn(page), expected, id);
      const answer = await send(browser, `/platform/reports/${id}/persona`, fieldsOf(page));
      assert.equal(answer.status, 200);
      assert.deepEqual(((await answer.json()) as { probabilities: number[] }).probabilities, expected, id);
    }
  });

  slow('has commands that a shell runs as they are copied', async t => {
    if (spawnSync('curl', ['--version']).status !== 0) return t.skip('curl is missing here');
    const { browser, home } = platform();
    const page = await browser.page('/predictions/one');
    const key = await addKey(home, 'shell', { reports: 'all', scopes: ['predict', 'report'] });
    const { features } = bodyOfCommand(page);
    const lines = [Object.keys(features), Object.values(features).map(String)].map(row => writeRow(row));
    const cwd = await newFolder(t, { 'personas.csv': lines.join('') });
    const env = { PATH: process.env.PATH, ROWCAST_API_KEY: key };
    for (const id of ['score-command', 'curl-persona', 'curl-batch']) {
      const command = unescaped(new RegExp(`id="${id}"[^>]*>([^<]*)<`).exec(page)?.[1] ?? '');
      const line = `rowcast() { '${process.execPath}' '${bin}' "$@"; }; ${command}`;
      const { stdout } = await promisify(execFile)('sh', ['-c', line], { cwd, env });
      const made = id === 'curl-persona' ? stdout : await readFile(join(cwd, 'scored.csv'), 'utf8');
      assert.match(made, /"probabilities":|probability_.*\n.*0\.\d+\n$/, id);
      await rm(join(cwd, 'scored.csv'), { force: true });
    }
  });

  it('starts with a typical persona', async () => {
    const page = await platform().browser.page('/predictions/hostile');
    const { features } = bodyOfCommand(page);
    assert.ok(Number(features[hostile.amount]) > 30 && Number(features[hostile.amount]) < 70);
    assert.equal(features[hostile.plan], hostile.levels[0]);
    assert.match(String(features[hostile.since]), /^\d\d\/0\d\/2021 1\d:30$/);
    assert.equal(features[hostile.city], 'city 0');
    assert.equal(typeof Object.getOwnPropertyDescriptor(features, '__proto__')?.value, 'number');
  });

  it('has no markup, script, style or hidden direction from names and values of the data', async () => {
    const page = await platform().browser.page('/predictions/twenty');
    assert.deepEqual(
      [...page.matchAll(/<script[^>]*>/g)].filter(([tag]) => !/ src="\/assets\//.test(tag)),
      [],
    );
    assert.doesNotMatch(page, /<b>|<img src=x|\sstyle=|<style|\son\w+=(?!alert)|\u202e/);
    assert.match(page, /&lt;script&gt;alert\(1\)&lt;\/script&gt;/);
    assert.match(page, /alone nearly determines/);
    assert.match(page, /\\u202e/); // in the command
  });

  it('predicts without modules, and says at a field what is wrong', async () => {
    const { browser } = platform();
    const before = await browser.page('/predictions/hostile');
    const fields = fieldsOf(before);
    assert.deepEqual(Object.keys(fields).sort(), ['c0', 'c1', 'c2', 'c3', 'c4']);
    const changed = { ...fields, _csrf: browser.csrfToken, c0: '99', c3: 'nowhere', along: 'c2' };
    const response = await browser.submit('/predictions/hostile', changed);
    const after = await response.text();
    assert.equal(response.status, 200);
    assert.notDeepEqual(probabilitiesOn(after), probabilitiesOn(before));
    assert.match(after, /Probabilities by ecnis/);
    assert.match(after, /The model has not learned this value: it is treated like all rare values\./);
    const wrong = await browser.submit('/predictions/hostile', { ...changed, c0: 'many', c2: '2021-02-30' });
    assert.equal(wrong.status, 422);
    const text = await wrong.text();
    assert.match(text, /id="field-c0-error">Enter a number/);
    assert.match(text, /id="field-c2-error">Enter a date/);
    assert.match(text, /name="c0" aria-describedby="field-c0-hint field-c0-error" aria-invalid="true"/);
    assert.match(text, /Correct the marked fields/);
    const asked = await send(browser, '/platform/reports/hostile/persona', { ...changed, c1: '77' });
    assert.equal(asked.status, 422);
    const { code, fields: errors } = (await asked.json()) as { code: string; fields: Record<string, string> };
    assert.equal(code, 'invalid_value');
    assert.deepEqual(Object.keys(errors), ['c1']);
  });

  it('draws how the probabilities change along a column as /user/persona predicts them', async () => {
    const { browser, url, key } = platform();
    const page = await browser.page('/predictions/hostile');
    const { id, features } = bodyOfCommand(page);
    const curveAlong = async (along: string) => {
      const response = await send(browser, '/platform/reports/hostile/curve', { ...fieldsOf(page), along });
      const text = await response.text();
      assert.equal(response.status, 200, text);
      return [...text.matchAll(/<th scope="row">([^<]*)<\/th><td>([\d.]+)/g)].map(
        ([, value = '', share]) => ({
          value: unescaped(value),
          share: Number(share),
        }),
      );
    };
    const check = async (column: string, value: unknown, share: number) => {
      const [, expected = 0] = await predicted(url, key, {
        id,
        features: { ...features, [column]: value },
      });
      assert.ok(
        Math.abs(100 * expected - share) < 0.06,
        `${column} ${value}: ${share}, not ${100 * expected}`,
      );
    };
    const numbers = await curveAlong('c0');
    assert.equal(numbers.length, 50);
    for (const { value, share } of [numbers[0], numbers[20], numbers[49]].flatMap(one => one ?? []))
      await check(hostile.amount, Number(value), share);
    const levels = await curveAlong('c1');
    assert.deepEqual(
      levels.map(({ value }) => value),
      ['<img src=x onerror=alert(1)>', '"quoted"', "'", 'two lines', 'level'],
    );
    for (const [i, level] of hostile.levels.entries())
      await check(hostile.plan, level, levels[i]?.share ?? 0);
    assert.equal((await curveAlong('c3')).length, 20);
  });

  it('draws the curves of the chosen class', async () => {
    const { browser } = platform();
    assert.match(await browser.page('/predictions/twenty?class=7'), /ROC curve of class 7</);
    for (const wrong of ['99', '-1', 'x', '1e1', '7&class=8'])
      assert.match(await browser.page(`/predictions/twenty?class=${wrong}`), /ROC curve of /);
  });

  slow('stays small and clear with hundreds of columns', async t => {
    const { browser } = await platformWithMade(t, [{ id: 'wide', more: 300 }]);
    const page = await browser.page('/predictions/wide');
    assert.match(page, /297 more columns, with less impact/);
    assert.match(page, /Impact of the first 10 of 305 columns/);
    assert.ok(page.length < 300_000, `${page.length}`);
  });

  slow('has a form of at most a thousand columns; the others keep typical values', async t => {
    const { browser } = await platformWithMade(t, [{ id: 'wide', more: 1_200 }]);
    const page = await browser.page('/predictions/wide');
    const fields = fieldsOf(page);
    assert.equal(Object.keys(fields).length, 1_000);
    assert.match(page, /205 columns with even less impact have typical values/);
    assert.equal(page.match(/<option value="city /g)?.length, 10);
    const response = await browser.submit('/predictions/wide', fields);
    assert.deepEqual(probabilitiesOn(await response.text()), probabilitiesOn(page));
  });
});

describe('the routes of a report', () => {
  const platform = shared(suite => platformWithMade(suite, [{ id: 'mine' }, { id: 'other' }]));

  it('show a bound key only its reports', async () => {
    const browser = await signInWithKey(platform(), 'guest', { reports: ['mine'] });
    const page = await browser.page('/predictions/mine');
    assert.doesNotMatch(page, /Delete the report/);
    assert.match(page, /needs a key with the scope <code>testing-results<\/code>/);
    for (const path of [
      '/predictions/other',
      '/predictions/missing',
      '/platform/reports/other/testing-results.csv',
    ])
      assert.equal((await browser.fetch(path)).status, 404, path);
    const fields = { ...fieldsOf(page), _csrf: browser.csrfToken };
    for (const path of [
      '/predictions/other',
      '/platform/reports/other/persona',
      '/platform/reports/other/curve',
      '/platform/reports/other/delete',
    ])
      assert.equal((await send(browser, path, fields)).status, 404, path);
    assert.equal((await send(browser, '/platform/reports/mine/persona', fields)).status, 200);
    assert.equal((await send(browser, '/platform/reports/mine/delete', fields)).status, 403);
    assert.equal((await browser.fetch('/platform/reports/mine/testing-results.csv')).status, 403);
  });

  it('need the scopes of the API', async () => {
    const reader = await signInWithKey(platform(), 'reader', { scopes: ['report', 'platform'] });
    assert.match(await reader.page('/predictions/mine'), /does not have the scope <code>predict<\/code>/);
    assert.equal((await send(reader, '/platform/reports/mine/persona', {})).status, 403);
    assert.equal((await reader.submit('/predictions/mine', { _csrf: reader.csrfToken })).status, 403);
    const blind = await signInWithKey(platform(), 'blind', { scopes: ['predict', 'platform'] });
    assert.equal((await blind.fetch('/predictions/mine')).status, 403);
  });

  it('give the testing results as they are stored', async () => {
    const { browser, home } = platform();
    const response = await browser.fetch('/platform/reports/mine/testing-results.csv');
    assert.equal(response.headers.get('content-type'), 'text/csv; charset=utf-8');
    assert.match(
      response.headers.get('content-disposition') ?? '',
      /^attachment; filename="mine-testing-results\.csv"$/,
    );
    assert.equal(
      await response.text(),
      await readFile(join(home, 'reports/mine/testing-results.csv'), 'utf8'),
    );
  });

  slow('explain missing and damaged reports', async t => {
    const { browser, home } = await platformWithMade(t, [{ id: 'results' }, { id: 'model' }]);
    await browser.page('/predictions/results');
    await appendFile(join(home, 'reports/results/testing-results.csv'), 'x');
    await appendFile(join(home, 'reports/model/model.zip'), 'x');
    // It is kept until the report is trained again.
    await browser.page('/predictions/results');
    const other = await signIn(await servingPlatform(t, { home }));
    assert.match(await other.page('/predictions/results'), /The testing results cannot be read/);
    for (const [id, status] of [
      ['model', 410],
      ['missing', 404],
      ['..%2f..%2fetc', 400],
      ['a b', 400],
    ] as const)
      assert.equal(
        (await other.fetch(`/predictions/${id}`, { headers: { accept: 'text/html' } })).status,
        status,
        id,
      );
  });

  slow('show a report that was trained again', async t => {
    const { browser, home } = await platformWithMade(t, [{ id: 'mine' }]);
    const before = probabilitiesOn(await browser.page('/predictions/mine'));
    await makeReport(home, { id: 'mine', classes: ['a', 'b', 'c'], seed: 5 });
    const after = probabilitiesOn(await browser.page('/predictions/mine'));
    assert.deepEqual([before.length, after.length], [2, 3]);
  });

  it('delete a report', async () => {
    const { browser } = platform();
    const response = await browser.submit('/platform/reports/other/delete');
    assert.deepEqual([response.status, response.headers.get('location')], [303, '/']);
    assert.match(await browser.page('/'), /The report other was deleted/);
    assert.equal((await browser.fetch('/predictions/other')).status, 404);
  });

  it('count against the rate of rows of the key', async t => {
    const { browser } = await platformWithMade(t, [{ id: 'mine' }], { maxRowsPerSecond: 10 });
    const fields = { c0: '5', along: 'c0' };
    const statuses = [];
    for (let i = 0; i < 2; i++)
      statuses.push((await send(browser, '/platform/reports/mine/curve', fields)).status);
    assert.deepEqual(statuses, [200, 429]);
  });
});

/** The texts of a list of facts, by their names. */
function factsOn(page: string): Record<string, string> {
  const found = page.matchAll(/<dt>([^<]*)<\/dt><dd>([^<]*)<\/dd>/g);
  return Object.fromEntries(Array.from(found, ([, name, text]) => [name, text]));
}

describe('the page of an imported report', () => {
  const platform = shared(async suite => ownedPlatform(suite, { home: await importedHome(suite) }));

  it('says what it predicts and where its model comes from, without metrics', async () => {
    const { browser } = platform();
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

  it('has commands that work', async () => {
    const { browser, url, home } = platform();
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

  it('has metrics, charts and a persona to try if labelled rows have tested the model', async () => {
    const { browser, home } = platform();
    const test = join(home, 'telecom.csv');
    await writeFile(test, await fixture('telecom-history.csv', 500));
    const file = join(root, 'fixtures/models/telecom-lightgbm.txt');
    const args = ['--report', 'tested', '--classes', 'no,yes', '--predict', 'churned', '--home', home];
    await exits(rowcast(['import', file, ...args, '--test', test]), 0);
    const page = await browser.page('/predictions/tested');
    const facts = factsOn(page);
    assert.deepEqual(
      [facts['Testing accuracy'], facts.Library, facts['Validation accuracy']],
      ['82.8%', 'LightGBM (v4)', undefined],
    );
    assert.match(page, /500 labelled rows tested the model\. It is right for 414 of them/);
    for (const part of ['id="roc"', 'id="calibration"', 'id="driver-chart"', 'Notes of the import'])
      assert.ok(page.includes(part), part);
    assert.match(page, /role="status">Most likely /);
    assert.match(await browser.page('/'), /tested<\/a>[\s\S]*?82\.8%/);
    const results = await browser.fetch('/platform/reports/tested/testing-results.csv');
    assert.match(await results.text(), /,actual_churned,predicted_churned,probability_no,probability_yes\n/);
  });

  it('has the errors of a model of numbers, and its drivers', async () => {
    const { browser, home } = platform();
    const { rows, predictions } = await expectedNumbers();
    const test = join(home, 'labelled.csv');
    const lines = rows.map((row, i) => [...row, predictions[i]?.[0]].join(','));
    await writeFile(test, `${['monthly_charges,age,balance,constant,amount', ...lines].join('\n')}\n`);
    const file = join(root, 'fixtures/models/lightgbm-2.3-regression.txt');
    const args = ['--report', 'errors', '--predict', 'amount', '--home', home, '--test', test];
    await exits(rowcast(['import', file, ...args]), 0);
    const page = await browser.page('/predictions/errors');
    assert.equal(factsOn(page)['R²'], '1.000');
    assert.match(factsOn(page).RMSE ?? '', /^0; always the median: \d/);
    assert.ok(page.includes('id="driver-chart"'));
  });

  it('has no persona to try, no curve and no testing results', async () => {
    const { browser } = platform();
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
    const { browser, home } = platform();
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
});
