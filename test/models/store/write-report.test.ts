import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  cp,
  mkdir,
  readdir,
  readFile,
  realpath,
  rename,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readReport, reportVersion, testingResults } from '../../../src/models/store/report-store.ts';
import { deleteReport, writeReport } from '../../../src/models/store/write-report.ts';
import { newFolder } from '../../support/folder.ts';
import { runs } from '../../support/random-tests.ts';
import { reportOf } from '../../support/service/report.ts';

const write = (home: string, id: string, note: string): Promise<void> =>
  writeReport(home, {
    report: reportOf(id, note),
    model: Buffer.from(note),
    testingResults: Buffer.from(`${note}\n`),
  });

const namesIn = async (home: string): Promise<string[]> => (await readdir(join(home, 'reports'))).sort();

/** An entry in the folder of reports that was last modified an hour ago. */
async function aged(path: string): Promise<void> {
  const then = new Date(Date.now() - 3_600_000);
  await utimes(path, then, then);
}

async function homeOf(t: TestContext): Promise<string> {
  const home = await newFolder(t);
  await write(home, 'r', 'first');
  return home;
}

test('concurrent writes of one report all succeed, and one of them remains', async t => {
  const home = await homeOf(t);
  const notes = Array.from({ length: 8 }, (_, i) => `note ${i}`);
  await Promise.all(notes.map(note => write(home, 'r', note)));
  const [note = ''] = (await readReport(home, 'r')).notes;
  assert.ok(notes.includes(note));
});

test('a reader always finds a complete report while it is replaced', async t => {
  const home = await homeOf(t);
  const rewrites = runs(200);
  let isOver = false;
  const replaced = (async () => {
    for (let i = 0; i < rewrites; i++) await write(home, 'r', `note ${i}`);
    isOver = true;
  })();
  let read = 0;
  while (!isOver) {
    assert.equal((await readReport(home, 'r')).id, 'r');
    await reportVersion(home, 'r');
    const text = (await (await testingResults(home, 'r')).toArray()).join('');
    assert.match(text, /^(first|note \d+)\n$/);
    read++;
  }
  await replaced;
  assert.ok(read > 0);
  assert.deepEqual((await readReport(home, 'r')).notes, [`note ${rewrites - 1}`]);
});

test('open testing results can be read to their end after the report is replaced', async t => {
  const home = await homeOf(t);
  const stream = await testingResults(home, 'r');
  await write(home, 'r', 'second');
  assert.equal((await stream.toArray()).join(''), 'first\n');
});

test('sha256sum checks a report in its folder', async t => {
  const home = await homeOf(t);
  const said = execFileSync('sha256sum', ['-c', 'SHA256SUMS'], { cwd: join(home, 'reports', 'r') });
  assert.equal(said.toString(), 'report.json: OK\nmodel.zip: OK\ntesting-results.csv: OK\n');
});

test('a report is readable only by its owner', async t => {
  const folder = join(await homeOf(t), 'reports', 'r');
  assert.equal((await stat(folder)).mode & 0o777, 0o700);
  const files = await readdir(folder);
  assert.deepEqual(files.sort(), ['SHA256SUMS', 'model.zip', 'report.json', 'testing-results.csv']);
  for (const file of files) assert.equal((await stat(join(folder, file))).mode & 0o777, 0o600);
});

test('only leftovers of killed trainings are removed', async t => {
  const home = await homeOf(t);
  const reports = join(home, 'reports');
  await write(home, 'other', 'kept');
  const other = await realpath(join(reports, 'other'));
  await mkdir(join(reports, '.r.0123456789ab'));
  await mkdir(join(reports, '.gone.0123456789ab'));
  await mkdir(join(reports, '.+replaced.0123456789ab'));
  await writeFile(join(reports, '.gitignore'), '*');
  for (const name of await namesIn(home)) await aged(join(reports, name));
  await mkdir(join(reports, '.r.ba9876543210')); // of a training in progress
  await write(home, 'r', 'second');
  const current = await realpath(join(reports, 'r'));
  assert.deepEqual(
    await namesIn(home),
    ['.gitignore', '.r.ba9876543210', current, other, 'other', 'r']
      .map(path => path.split('/').at(-1))
      .sort(),
  );
});

test('a folder in place of the link is read and replaced', async t => {
  const home = await homeOf(t);
  const pointer = join(home, 'reports', 'r');
  await cp(await realpath(pointer), join(home, 'copy'), { recursive: true });
  await rename(pointer, join(home, 'link'));
  await rename(join(home, 'copy'), pointer);
  assert.deepEqual((await readReport(home, 'r')).notes, ['first']);
  await write(home, 'r', 'second');
  assert.deepEqual((await readReport(home, 'r')).notes, ['second']);
});

test('a link to another folder is replaced, and the folder is not changed', async t => {
  const home = await homeOf(t);
  const elsewhere = await newFolder(t, { mine: 'mine' });
  await symlink(elsewhere, join(home, 'reports', 's'));
  await write(home, 's', 'new');
  assert.deepEqual((await readReport(home, 's')).notes, ['new']);
  assert.equal(await readFile(join(elsewhere, 'mine'), 'utf8'), 'mine');
});

test('a link to a missing version is a damaged report', async t => {
  const home = await homeOf(t);
  await symlink('.lost.0123456789ab', join(home, 'reports', 'lost'));
  await assert.rejects(readReport(home, 'lost'), {
    code: 'damaged_report',
    message: /its folder is missing/,
  });
});

test('deleting a report deletes all of its files and no others', async t => {
  const home = await homeOf(t);
  await write(home, 'other', 'kept');
  await deleteReport(home, 'r');
  await assert.rejects(readReport(home, 'r'), { code: 'no_such_report' });
  const version = (await realpath(join(home, 'reports', 'other'))).split('/').at(-1);
  assert.deepEqual(await namesIn(home), [version, 'other']);
  await assert.rejects(deleteReport(home, 'r'), { code: 'no_such_report', hint: /other/ });
});

test('a damaged report can be deleted, whether it is a dangling link or a folder', async t => {
  const home = await homeOf(t);
  await symlink('.lost.0123456789ab', join(home, 'reports', 'lost'));
  await mkdir(join(home, 'reports', 'folder'));
  for (const id of ['lost', 'folder', 'r']) await deleteReport(home, id);
  assert.deepEqual(await namesIn(home), []);
});

test('deleting a link does not delete a target outside the reports', async t => {
  const home = await homeOf(t);
  const elsewhere = await newFolder(t, { mine: 'mine' });
  await symlink(elsewhere, join(home, 'reports', 's'));
  await deleteReport(home, 's');
  assert.equal(await readFile(join(elsewhere, 'mine'), 'utf8'), 'mine');
  await symlink('r', join(home, 'reports', 'alias'));
  await deleteReport(home, 'alias');
  assert.deepEqual((await readReport(home, 'r')).notes, ['first']);
});

test('an id that could be a path deletes nothing', async t => {
  const home = await homeOf(t);
  await assert.rejects(deleteReport(home, '.'), { code: 'bad_report_id' });
  assert.deepEqual((await readReport(home, 'r')).notes, ['first']);
});

test('a report deleted and written concurrently is complete or gone', async t => {
  const home = await homeOf(t);
  for (let i = 0; i < 20; i++) {
    await Promise.allSettled([deleteReport(home, 'r'), write(home, 'r', `note ${i}`)]);
    const found = await readReport(home, 'r').catch(error => error.code);
    assert.ok(found === 'no_such_report' || found.notes[0] === `note ${i}`, JSON.stringify(found));
    await write(home, 'r', 'again');
  }
});
