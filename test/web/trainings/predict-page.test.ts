import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { Leaks } from '../../../src/web/trainings/leaks.ts';
import { newFolder } from '../../support/folder.ts';
import { csv } from '../../support/service/history.ts';
import { slow } from '../../support/slow.ts';
import { platformWithData } from '../../support/web/started-training.ts';
import { fixture } from '../../support/web/uploaded.ts';

async function served(
  t: TestContext,
  text: string,
  name?: string,
): Promise<(column?: number) => Promise<string>> {
  const { browser, data } = await platformWithData(t, text, name);
  return column => browser.page(`/data/${data}/predict${column === undefined ? '' : `?column=${column}`}`);
}

/** A page as its text, without markup. */
const textOf = (page: string): string => page.replace(/<[^>]*>/g, '').replace(/\s+/g, ' ');

const hostile = ['<script>alert(1)</script>', '=1+2', 'a\u202etxt', '" onload="x', "'", '__proto__', '{{x}}'];

describe('the Predict page', () => {
  it('shows the classes and their shares', async t => {
    const page = await served(t, await fixture('telecom-history.csv', 500), 'Télco churn.csv');
    const text = textOf(await page(15));
    assert.match(text, /no 36472\.8% yes 13627\.2%/);
    assert.match(await page(15), /value="telco-churn-churned"/);
    assert.match(text, /customer: all its values are distinct, so it only identifies rows\./);
  });

  it('says what can be predicted and why the rest cannot', async t => {
    const rows = Array.from({ length: 120 }, (_, row) => [
      String(row % 2),
      'same',
      `id${row}`,
      String(row / 7),
      row < 10 ? 'x' : row < 20 ? 'y' : '',
      String(row % 3),
      'a',
    ]);
    const page = await served(t, csv([['flag', 'same', 'key', 'amount', 'rare', 'twice', 'twice'], ...rows]));
    const text = textOf(await page());
    for (const [column, said] of [
      ['flag', '0, 1'],
      ['same', 'Cannot be predicted: every row has the same'],
      ['key', 'Cannot be predicted: "key" has more than 100 different values'],
      ['amount', 'a number, of 120 different ones'],
      ['rare', 'Cannot be predicted: only 20 rows have a value in "rare"; training needs at least 50'],
      ['twice', 'Cannot be predicted: another column has the same name'],
    ] as const)
      assert.match(
        text.replaceAll('&quot;', '"'),
        new RegExp(`${column} ?(categorical|numerical) ?(${said})`),
      );
    assert.match(textOf(await page(3)), /so the report predicts a number/);
    assert.match(await page(3), /<option value="numbers" selected>[\s\S]*name="bins" [^>]*value="4"/);
    assert.doesNotMatch(await page(3), /<option value="classes"/);
    assert.match(textOf(await page(2)), /cannot be predicted/);
    assert.match(textOf(await page(99)), /Choose the column to predict/);
  });

  slow('hints at a column that leaks', async t => {
    const rows = Array.from({ length: 400 }, (_, row) => {
      const left = (row * 7) % 5 < 2;
      return [String((row * 13) % 17), left ? 'left in May' : 'is here', left ? 'yes' : 'no'];
    });
    const page = await served(t, csv([['noise', 'status', 'churned'], ...rows]));
    // The page does not wait long for the hint.
    let text = textOf(await page(2));
    for (let tries = 0; tries < 20 && !text.includes('alone'); tries++) text = textOf(await page(2));
    assert.match(text, /Look at these columns status: alone it nearly determines/);
    assert.ok(!text.includes('noise:'));
  });

  slow('escapes names and values, whatever is in them', async t => {
    const rows = Array.from({ length: 100 }, (_, row) =>
      hostile.map(
        (name, i) => (i === 0 ? (row % 3 === 0 ? hostile[0] : '=cmd') : `${name}${row % (i + 1)}`) ?? '',
      ),
    );
    const page = await served(t, csv([hostile, ...rows]), '<img src=x onerror=alert(1)>.csv');
    for (const column of [undefined, ...hostile.keys()]) {
      const text = await page(column);
      assert.ok(!/<script>alert|<img src=x|onload="x|\u202e/.test(text), text);
    }
    assert.match(await page(0), /&lt;script&gt;alert\(1\)/);
  });
});

/** Longer than any search of these tests, so that each has its true end. */
const WAIT_MS = 600_000;
const columns = ['a', 'b', 'c', 'd', 'e'];

/** Searches in a file in which every column leaks every other one. */
async function opened(t: TestContext) {
  const historyFile = join(await newFolder(t), 'history.csv');
  const rows = Array.from({ length: 300 }, (_, row) =>
    columns.map(name => `${name}${(row * 7) % 5 < 2 ? 1 : 2}`),
  );
  await writeFile(historyFile, csv([columns, ...rows]));
  const leaks = new Leaks(WAIT_MS);
  t.after(() => leaks.close());
  return {
    leaks,
    search: (predict: string) =>
      leaks.of({ historyFile, predict, seed: 1, excludeFeatures: [], types: {}, maxRecordBytes: 1 << 20 }),
  };
}

const others = (name: string): string[] => columns.filter(other => other !== name);

describe('the search for columns that leak', () => {
  it('runs once at a time, and of those that wait only the latest is kept', async t => {
    const { search } = await opened(t);
    const found = await Promise.all(columns.map(search));
    assert.deepEqual(found, [others('a'), [], [], [], others('e')]);
    // What was dropped is searched when the page is loaded again; what is known is not.
    assert.deepEqual(await search('c'), others('c'));
    assert.deepEqual(await Promise.all([search('a'), search('e')]), [others('a'), others('e')]);
  });

  it('ends with the service', async t => {
    const { leaks, search } = await opened(t);
    const running = [search('a'), search('b')];
    await leaks.close();
    assert.deepEqual(await Promise.all(running), [[], []]);
  });
});
