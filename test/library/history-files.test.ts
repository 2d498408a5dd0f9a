import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { train } from '../../src/index.ts';
import { findHistory } from '../../src/library/history-files.ts';
import { newFolder } from '../support/folder.ts';
import { csv, history } from '../support/service/history.ts';

test('the files of training data are found as inputs of a run are', async t => {
  const folder = await newFolder(t);
  await mkdir(join(folder, 'parts'));
  for (const name of ['10.csv', '2.csv', 'x.txt']) await writeFile(join(folder, 'parts', name), '');
  const [pattern, last] = [join(folder, 'parts/*.csv'), join(folder, 'parts/2.csv')];
  assert.deepEqual(await findHistory([last, pattern], {}), {
    historyFile: last,
    furtherFiles: [join(folder, 'parts/10.csv')],
  });
  const other = `${folder}/parts/../parts/2.csv`;
  assert.equal((await findHistory([last, other], {})).furtherFiles.length, 0, 'no file is read twice');
  assert.deepEqual(await findHistory(['-'], {}), { historyFile: '-', furtherFiles: [] });
  assert.deepEqual(await findHistory(['none.csv'], {}), { historyFile: 'none.csv', furtherFiles: [] });
  await assert.rejects(findHistory(['-', last], {}), { code: 'usage', message: /^stdin cannot be one of/ });
  await assert.rejects(findHistory([join(folder, 'none/*.csv')], {}), { code: 'no_such_file' });
});

test('a program trains on several paths, URLs and patterns', async t => {
  const home = await newFolder(t);
  const [header = [], ...rows] = history({ rows: 60 });
  for (const [name, part] of Object.entries({
    a: rows.slice(0, 20),
    b: rows.slice(20, 30),
    c: rows.slice(30),
  }))
    await writeFile(join(home, `${name}.csv`), csv([header, ...part]));
  const url = pathToFileURL(join(home, 'a.csv'));
  const report = await train({ history: [url, join(home, '[bc].csv')], predict: 'outcome', home });
  assert.equal(report.profile?.rows, 60);
  assert.equal(report.id, 'a-outcome', 'the first file names the report');
  await assert.rejects(train({ history: [], predict: 'outcome', home }), {
    code: 'bad_option',
    message: /^history: /,
  });
});
