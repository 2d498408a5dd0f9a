import { readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { newFolder } from '../../support/folder.ts';
import { rowcast } from '../../support/in-process.ts';
import { csv, history } from '../../support/service/history.ts';

/** The training data; some of its rows are the customers to score. */
export const table = history({ rows: 60 });

/** A folder with a definition that trains and scores, and a function that runs it. */
export async function nightly(t: TestContext) {
  const cwd = await newFolder(t, { 'history.csv': csv(table), 'customers.csv': csv(table.slice(0, 20)) });
  await writeFile(
    join(cwd, 'nightly.yaml'),
    'home: home\ntrain: { history: history.csv, predict: outcome, report: churn }\n' +
      'score: { input: customers.csv, output: scored.csv, report: churn }\n',
  );
  return {
    cwd,
    run: (...args: string[]) => rowcast(['run', 'nightly.yaml', ...args], { cwd }),
    /** Changes whenever the report is trained. */
    version: () => readlink(join(cwd, 'home/reports/churn')),
  };
}
