import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { newFolder } from '../folder.ts';
import { type Finished, rowcast } from '../rowcast.ts';
import { csv, history } from '../service/history.ts';

/** A folder with a history whose header and notes hold control characters, and `train` in it. */
async function bench(t: TestContext, table = history({ rows: 100 })) {
  const cwd = await newFolder(t);
  await writeFile(join(cwd, 'history.csv'), csv(table));
  const train = (home: string, args: readonly string[] = []): Promise<Finished> =>
    rowcast(['train', 'history.csv', '--predict', 'outcome', ...args], { cwd, env: { ROWCAST_HOME: home } });
  return { cwd, train };
}

const ESC = '\u001b';

describe('rowcast train', () => {
  it('refuses a home that is a file, or lies in one, before it trains', async t => {
    const { cwd, train } = await bench(t);
    await writeFile(join(cwd, 'home'), '');
    for (const home of ['home', 'home/deeper']) {
      const { code, stderr } = await train(home);
      assert.equal(code, 2, stderr);
      assert.match(
        stderr,
        /rowcast: .*\/home.*: reports cannot be written here: there is a file in the place of a folder \[unwritable_home\]/,
      );
      assert.doesNotMatch(stderr, /\n +at /);
    }
  });

  it('refuses a home on a file system that makes no folders', {
    skip: process.platform !== 'linux' && 'only Linux has /proc',
    timeout: 60_000,
  }, async t => {
    const { train } = await bench(t);
    const { code, stderr } = await train('/proc/x/y');
    assert.equal(code, 2, stderr);
    assert.match(
      stderr,
      /\/proc\/x\/y: reports cannot be written here: .*\[unwritable_home\]\n {2}Set ROWCAST_HOME/,
    );
  });

  it('refuses a folder of reports that nothing can be made in', {
    skip: process.getuid?.() === 0 && 'root may write everywhere',
  }, async t => {
    const { cwd, train } = await bench(t);
    await mkdir(join(cwd, 'locked'), { mode: 0o500 });
    const { code, stderr } = await train('locked');
    assert.equal(code, 2, stderr);
    assert.match(stderr, /\[unwritable_home\]/);
  });

  it('leaves no folder where it was refused', async t => {
    const { cwd, train } = await bench(t);
    const { code } = await train('a/home', ['--predict', 'nothing']);
    assert.equal(code, 2);
    assert.deepEqual(await readdir(cwd), ['history.csv']);
  });

  for (const history of ['-', ''])
    it(`says of "${history}" that the history is a file`, async t => {
      const cwd = await newFolder(t);
      const { code, stderr } = await rowcast(['train', history, '--predict', 'x'], { cwd, stdin: 'a,b\n' });
      assert.equal(code, 2);
      assert.match(stderr, /^rowcast: which history\? give a file, since stdin is not read \[usage\]/);
      assert.deepEqual(await readdir(cwd), []);
    });

  it('reads a history in the delimiter that its name says', async t => {
    const { cwd, train } = await bench(t);
    await writeFile(
      join(cwd, 'tabs.tsv'),
      history({ rows: 100 }).map(row => `${row.map(text => text.replaceAll('"', '')).join('\t')}\n`),
    );
    const tabs = await rowcast(['train', 'tabs.tsv', '--predict', 'outcome'], { cwd });
    assert.equal(tabs.code, 0, tabs.stderr);
    assert.equal((await train('home')).code, 0);
  });

  it('shows no control character of the file, neither in its notes nor in the columns that there are', async t => {
    const table = history({ rows: 100 });
    table[0]?.splice(0, 2, `id${ESC}[2J`, `amount${ESC}[31m`);
    const { train } = await bench(t, table);
    const trained = await train('home');
    assert.equal(trained.code, 0, trained.stderr);
    assert.match(trained.stderr, /Left out "id \[2J"/);
    const refused = await train('home', ['--predict', `no${ESC}thing`]);
    assert.match(refused.stderr, /there is no column "no thing" to predict/);
    assert.match(refused.stderr, /The columns are: id \[2J, amount \[31m, /);
    for (const { stdout, stderr } of [trained, refused])
      assert.ok(!`${stdout}${stderr}`.includes(ESC), JSON.stringify(stderr));
  });

  it('cuts lists of columns and of notes', async t => {
    const wide = history({ rows: 60 }).map((row, i) => [
      ...row,
      ...Array.from({ length: 100 }, (_, column) => (i === 0 ? `column ${column}` : 'same')),
    ]);
    const { train } = await bench(t, wide);
    const trained = await train('home');
    assert.equal(trained.code, 0, trained.stderr);
    assert.match(trained.stderr, /rowcast: and \d+ more notes, which the report has\n/);
    assert.ok(trained.stderr.split('\n').length < 30, trained.stderr);
    const refused = await train('home', ['--predict', 'nothing']);
    assert.match(refused.stderr, /The columns are: customer, .*, column 14 and 85 more\./);
  });
});
