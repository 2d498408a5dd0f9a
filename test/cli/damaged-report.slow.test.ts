import assert from 'node:assert/strict';
import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { trainReport } from '../../src/training/train.ts';
import { newFolder } from '../support/folder.ts';
import { rowcast } from '../support/in-process.ts';
import { copyHome, csv, history, homeWith } from '../support/service/history.ts';

const score = ['score', '--report', 'r'];
const report = ['report', 'r'];
const predict = ['predict', '--report', 'r', 'plan=Basic'];
const results = ['testing-results', 'r'];

/** File → the commands that need it. */
const needed = {
  SHA256SUMS: [score, report, predict, results],
  'report.json': [score, report, predict],
  'testing-results.csv': [results],
  'model.zip': [score, predict],
};

const trained = homeWith(history({ rows: 100 })).then(async ({ home, historyFile }) => {
  await trainReport({ historyFile, predict: 'outcome', home, id: 'r' });
  return home;
});

for (const [file, commands] of Object.entries(needed))
  test(`a report with a truncated ${file} is reported as damaged at once, without retries`, async t => {
    const home = await newFolder(t);
    await copyHome(await trained, home);
    await truncate(join(home, 'reports', 'r', file), 10);
    const cwd = await newFolder(t);
    for (const args of commands) {
      const { code, stdout, stderr } = await rowcast(args, {
        cwd,
        env: { ROWCAST_HOME: home },
        stdin: csv(history({ rows: 3 })),
      });
      assert.match(stderr, /the report "r" is damaged: .*\n {2}Train or import it again/);
      assert.match(stderr, /\[damaged_report\]/);
      assert.doesNotMatch(stderr, /retrying/);
      assert.equal(stdout.length, 0);
      assert.ok(code === 2 || code === 3, stderr);
    }
  });
