// Takes the pictures of the page that --summary-html writes, of the telecom data, with Chromium.
//   npm run pictures

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';

const root = join(import.meta.dirname, '../..');
const command = join(root, 'dist/src/bundle/rowcast.js');
const [WIDTH, HEIGHT] = [1120, 1580];
/** Where the tenure is in a row. */
const TENURE = 3;
/** As often, so that the run takes some seconds. */
const TIMES = 300;

const cwd = await mkdtemp(join(tmpdir(), 'rowcast-picture-'));
const rowcast = (...args: string[]) => promisify(execFile)(process.execPath, [command, ...args], { cwd });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--headless=new', '--no-sandbox'],
});
try {
  const [head = '', ...rows] = (await readFile(join(root, 'fixtures/telecom-personas.csv'), 'utf8'))
    .trim()
    .split('\n');
  // Customers who have stayed for less than 20 months are rarer on the second day.
  const tuesday = rows.filter(
    (row, i) => i % 2 === 0 || Number(row.replaceAll('"', '').split(',')[TENURE]) >= 20,
  );
  await writeFile(join(cwd, 'monday.csv'), [head, ...rows, ''].join('\n'));
  await writeFile(join(cwd, 'tuesday.csv'), [head, ...new Array(TIMES).fill(tuesday).flat(), ''].join('\n'));
  await rowcast(
    'train',
    join(root, 'fixtures/telecom-history.csv'),
    '--predict',
    'churned',
    '--report',
    'churn',
  );
  const score = (day: string, ...more: string[]) =>
    rowcast('score', `${day}.csv`, '-o', `${day}-scored.csv`, '--report', 'churn', ...more).catch(
      ignoreRejects,
    );
  await score('monday', '--summary', 'monday.json');
  await score('tuesday', '--compare', 'monday.json', '--summary-html', 'tuesday.html');
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await browser.newPage({ viewport: { width: WIDTH, height: HEIGHT }, colorScheme });
    await page.goto(pathToFileURL(join(cwd, 'tuesday.html')).href);
    await page.screenshot({ path: join(root, `docs/run-${colorScheme}.png`) });
    await page.close();
  }
} finally {
  await browser.close();
  await rm(cwd, { recursive: true });
}

/** Some rows of the fixture are malformed. */
function ignoreRejects(error: { code?: unknown }): void {
  if (error.code !== 1) throw error;
}
