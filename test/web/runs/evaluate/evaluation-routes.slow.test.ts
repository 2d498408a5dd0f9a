import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { readReport } from '../../../../src/models/store/report-store.ts';
import { trainReport } from '../../../../src/training/train.ts';
import { rowcast } from '../../../support/in-process.ts';
import { parquetOf } from '../../../support/parquet.ts';
import { platformWithReports, type SignedIn, signInWithKey } from '../../../support/web/platform.ts';
import { scoredRun } from '../../../support/web/runs.ts';
import { problemOf, sendTo } from '../../../support/web/uploads.ts';

const rows = 120;
function personas(separator = ','): string {
  const row = (i: number) => [`p${i}`, (i % 50) + 0.25, i % 3 ? 'プレミアム' : 'Basic', i % 7];
  const all = [
    ['id', 'monthly amount', 'plan', '__proto__'],
    ...Array.from({ length: rows }, (_, i) => row(i)),
  ];
  return all.map(fields => `${fields.join(separator)}\n`).join('');
}

/** A class for every second row. */
const outcomes = ([first, second]: readonly string[], key = 'id', column = 'outcome'): string =>
  `${column},${key}\n${Array.from({ length: rows / 2 }, (_, i) => `${i % 3 ? first : second},p${2 * i}\n`).join('')}`;

/** What the form has; columns are chosen by their indices. */
interface Fields {
  join?: string;
  outcome?: string;
  key?: readonly number[];
  by?: readonly number[];
}

function query(fields: Fields): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields))
    for (const each of [value].flat()) query.append(name, String(each));
  return query;
}

const evaluate = (
  browser: SignedIn,
  id: string,
  body: string | Buffer,
  {
    name = 'outcomes.csv',
    headers = {},
    ...fields
  }: Fields & { name?: string; headers?: Record<string, string> } = {},
): Promise<Response> =>
  sendTo(browser, `/platform/runs/${id}/evaluation?${query(fields)}`, body, name, headers);

/** The evaluation, which is made. */
async function evaluated(...sent: Parameters<typeof evaluate>) {
  const response = await evaluate(...sent);
  assert.equal(response.status, 201, await response.clone().text());
  return JSON.parse(await response.text());
}

async function platformWithRun(t: TestContext, file = 'personas.csv', content: string | Buffer = personas()) {
  const at = await platformWithReports(t);
  const report = await readReport(at.home, 'one');
  const { id, status } = await scoredRun(at.browser, content, { file });
  assert.equal(status, 'finished');
  return { ...at, id, classes: report.classes ?? [] };
}

describe('a file of outcomes for a run of the platform', () => {
  it('gives the figures of rowcast evaluate, on a page that can be opened again until the run is deleted', async t => {
    const { browser, home, id, classes } = await platformWithRun(t);
    assert.match(await browser.page(`/runs?run=${id}`), new RegExp(`href="/runs/${id}/evaluation"`));
    const form = await browser.page(`/runs/${id}/evaluation`);
    assert.match(form, /name="key" value="0" data-field> <span>id<\/span>/);
    assert.ok(!form.includes('probability_'));
    assert.match(form, /<input id="outcome" name="outcome" value="outcome"/);
    const response = await evaluate(browser, id, outcomes(classes));
    assert.equal(response.status, 201, await response.clone().text());
    assert.equal(response.headers.get('location'), `/runs/${id}/evaluation`);
    const { figures, joined, coverage } = JSON.parse(await response.text());
    assert.deepEqual(
      [joined.by, joined.key, coverage.rows, coverage.labelled],
      ['key', ['id'], rows, rows / 2],
    );
    const labels = join(home, 'outcomes.csv');
    await writeFile(labels, outcomes(classes));
    const scored = join(home, 'runs', id, 'output');
    const words = '--key id --predict outcome --json'.split(' ');
    const { stdout } = await rowcast(['evaluate', scored, '--labels', labels, ...words]);
    assert.deepEqual(figures, JSON.parse(stdout.toString()).figures);
    const page = await browser.page(`/runs/${id}/evaluation`);
    assert.match(page, /<h1>Evaluation of .*outcome/);
    assert.match(page, /Testing rows/);
    assert.match(page, /<dt>Labels<\/dt><dd>outcomes\.csv/);
    assert.match(page, /name="key" value="0" data-field checked>/);
    assert.ok(!page.includes(home));
    assert.deepEqual(await readdir(join(home, 'data')), []);
    assert.equal((await browser.submit(`/platform/runs/${id}/delete`)).status, 303);
    assert.deepEqual(await readdir(join(home, 'runs')), []);
  });

  it('may be compressed, Parquet or JSON lines, and the run of any format', async t => {
    const { browser, id, classes } = await platformWithRun(t, 'personas.tsv', personas('\t'));
    const csv = outcomes(classes);
    const [, ...lines] = csv.trim().split('\n');
    const json = lines
      .map(line => line.split(','))
      .map(([outcome, key]) => `${JSON.stringify({ outcome, id: key })}\n`)
      .join('');
    for (const [name, body, headers] of [
      ['outcomes.csv.gz', gzipSync(csv)],
      ['outcomes.parquet', await parquetOf(csv)],
      ['outcomes.jsonl', json],
      ['outcomes.csv', csv.replaceAll(',', ';'), { 'x-delimiter': ';' }],
    ] as const) {
      const { coverage } = await evaluated(browser, id, body, { name, headers: { ...headers } });
      assert.equal(coverage.labelled, rows / 2, name);
    }
  });

  it('may have its outcomes in the order of the rows, under another name', async t => {
    const { browser, id, classes } = await platformWithRun(t);
    const column = `left\n${Array.from({ length: rows }, (_, i) => `${classes[i % 2]}\n`).join('')}`;
    const { coverage } = await evaluated(browser, id, column, { join: 'row', outcome: 'left' });
    assert.equal(coverage.labelled, rows);
    const short = await problemOf(await evaluate(browser, id, 'outcome\nyes\n', { join: 'row' }));
    assert.match(
      short.detail,
      /^outcomes\.csv: 1 label cannot be joined .*Choose columns of both files instead\.$/,
    );
  });

  it('may have a key of several columns, and is evaluated by the values of others', async t => {
    const { browser, id, classes } = await platformWithRun(t);
    const lines = Array.from({ length: rows }, (_, i) => `p${i},${i % 7},${classes[i % 2]},x\n`);
    // The id alone is there twice, with another outcome.
    const others = Array.from({ length: rows }, (_, i) => `p${i},${(i % 7) + 1},${classes[(i + 1) % 2]},x\n`);
    const body = `id,__proto__,outcome,plan\n${[...lines, ...others].join('')}`;
    const { joined, coverage, segments } = await evaluated(browser, id, body, { key: [0, 3], by: [2, 3] });
    assert.deepEqual(
      [joined.key, joined.unused, coverage.labelled],
      [['id', '__proto__'], { not_scored: rows }, rows],
    );
    assert.deepEqual(
      segments.map(({ by, values }: { by: string; values: { value: string }[] }) => [
        by,
        values.map(({ value }) => value),
      ]),
      [
        ['plan', ['Basic', 'プレミアム']],
        ['__proto__', ['0', '1', '2', '3', '4', '5', '6']],
      ],
    );
    const page = await browser.page(`/runs/${id}/evaluation`);
    assert.match(page, /AUC by plan/);
    assert.deepEqual(
      [...page.matchAll(/name="(\w+)" value="(\w*)" data-field checked/g)].map(([, ...choice]) => choice),
      [['join', ''], ...[0, 3].map(index => ['key', `${index}`]), ...[2, 3].map(index => ['by', `${index}`])],
    );
  });

  it('is of numbers as well', async t => {
    const at = await platformWithReports(t);
    const historyFile = join(at.home, 'sales.csv');
    const sales = Array.from({ length: 300 }, (_, i) => `s${i},${i % 60},${(i % 60) * 3 + (i % 7) / 10}\n`);
    await writeFile(historyFile, `id,visits,spent\n${sales.join('')}`);
    await trainReport({ historyFile, predict: 'spent', home: at.home, id: 'spent' });
    const content = `id,visits\n${sales.map(line => line.replace(/,[^,]*\n$/, '\n')).join('')}`;
    const { id } = await scoredRun(at.browser, content, { report: 'spent' });
    const labels = `id,spent\n${sales.map(line => line.replace(/,[^,]*,/, ',')).join('')}`;
    const { kind, figures } = await evaluated(at.browser, id, labels);
    assert.equal(kind, 'numbers');
    assert.ok(figures.r2.value > 0.9);
    assert.match(await at.browser.page(`/runs/${id}/evaluation`), /Errors by prediction/);
  });

  it('is refused in plain words if it does not fit', async t => {
    const { browser, home, id, classes } = await platformWithRun(t);
    for (const [body, fields, message, place] of [
      [
        outcomes(classes, 'id', 'left'),
        {},
        /^outcomes\.csv has no column "outcome" with the outcome\. .*left/,
        'outcome',
      ],
      [
        outcomes(classes, 'key'),
        {},
        /has no column of the output.*The columns of the output are: id, /,
        'join',
      ],
      ['outcome,id,plan\nyes,p1,Basic\n', {}, /Both files have the columns id, plan\. Choose/, 'join'],
      [outcomes(classes), { key: [0, 2] }, /outcomes\.csv has no column "plan"/, 'join'],
      [outcomes(classes), { join: 'row', key: [0] }, /chosen columns, but also the order/, 'join'],
      [outcomes(classes), { key: [0, 1, 2, 3, 4, 5] }, /^Choose at most 5 columns\.$/, 'key'],
      [outcomes(classes), { by: [0, 1, 2, 3, 4, 5] }, /^Choose at most 5 columns\.$/, 'by'],
      [
        outcomes(classes).replaceAll(',p', ',q'),
        {},
        /No row of the run gets an outcome.*60 have a key that no row/,
      ],
      [
        outcomes(classes).replaceAll(',p', ', P'),
        {},
        /60 have a key that no row of the run has\. Its keys differ .* only in spaces around them, capital letters\./,
      ],
      [outcomes(['yes', 'no']), {}, /60 are nothing that the report predicts\. Is "yes" the same as "Yes"/],
      ['outcome,id\n"yes,p1\n', {}, /line 2: .*quote/],
    ] as const) {
      const response = await evaluate(browser, id, body, fields);
      assert.equal(response.status, 422, `${message}: ${await response.clone().text()}`);
      const { status, code, detail, field } = await problemOf(response);
      assert.deepEqual([status, code, field], [422, 'invalid_csv', place], detail);
      assert.match(detail, message);
      assert.ok(!/--[a-z]/.test(detail) && !detail.includes(home), detail);
    }
    assert.deepEqual(await readdir(join(home, 'data')), []);
    assert.match(await browser.page(`/runs/${id}/evaluation`), /Did the predictions of .* come true\?/);
  });

  it('may have hostile names', async t => {
    const hostile = '<script>alert(1)</script>\u202e';
    const content = personas().replace('id', hostile);
    const { browser, id, classes } = await platformWithRun(t, `${hostile}.csv`, content);
    const file = { name: `../../${hostile}.csv`, key: [0] };
    await evaluated(browser, id, outcomes(classes, hostile), file);
    const page = await browser.page(`/runs/${id}/evaluation`);
    assert.ok(!page.includes('<script>alert') && !page.includes('\u202e'));
    const refused = await evaluate(browser, id, 'a\nb\n', { name: `${hostile}.csv`, key: [0] });
    assert.ok(!(await refused.text()).includes('\u202e'));
  });

  it('is only for who may see the run, and has the scope', async t => {
    const at = await platformWithRun(t);
    const { browser, id, classes } = at;
    const bound = await signInWithKey(at, 'bound', { reports: ['one'] });
    const none = '0'.repeat(20);
    for (const [who, run] of [
      [bound, id],
      [browser, none],
    ] as const) {
      assert.equal((await who.fetch(`/runs/${run}/evaluation`)).status, 404);
      assert.equal((await problemOf(await evaluate(who, run, outcomes(classes)))).code, 'no_such_run');
    }
    const reader = await signInWithKey(at, 'reader', { scopes: ['platform'] });
    assert.equal((await problemOf(await evaluate(reader, id, outcomes(classes)))).code, 'missing_scope');
    const failed = await scoredRun(browser, 'nothing\nthat fits\n');
    assert.equal((await problemOf(await evaluate(browser, failed.id, outcomes(classes)))).code, 'no_output');
  });
});
