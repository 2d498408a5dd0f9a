import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { newFolder } from '../../support/folder.ts';
import { bin, exits, type Finished, rowcast, spawnRowcast } from '../../support/rowcast.ts';
import { csv, history } from '../../support/service/history.ts';

/** A folder with a history whose header and notes contain control characters, and a function that runs `train`. */
async function bench(t: TestContext, table = history({ rows: 100 })) {
  const cwd = await newFolder(t, { 'history.csv': csv(table) });
  const train = (home: string, args: readonly string[] = []): Promise<Finished> =>
    rowcast(['train', 'history.csv', '--predict', 'outcome', ...args], { cwd, env: { ROWCAST_HOME: home } });
  return { cwd, train };
}

/** Runs rowcast with a file as stdin, like `<` in a shell. */
async function fromFile(
  args: readonly string[],
  file: string,
  env: Record<string, string>,
): Promise<Pick<Finished, 'code' | 'stderr'>> {
  const input = await open(file);
  const child = spawn(process.execPath, [bin, ...args], { env, stdio: [input.fd, 'ignore', 'pipe'] });
  assert.ok(child.stderr);
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  await input.close();
  return { code, stderr };
}

const ESC = '\u001b';

describe('rowcast train', () => {
  it('refuses a home that is a file, or inside one, before training', async t => {
    const { cwd, train } = await bench(t);
    await writeFile(join(cwd, 'home'), '');
    for (const home of ['home', 'home/deeper']) {
      const { stderr } = await exits(
        train(home),
        2,
        /rowcast: .*\/home.*: cannot write reports: a file exists where a folder is needed \[unwritable_home\]/,
      );
      assert.doesNotMatch(stderr, /\n +at /);
    }
  });

  it('refuses a home on a file system where no folders can be created', {
    skip: process.platform !== 'linux' && 'only Linux has /proc',
    timeout: 60_000,
  }, async t => {
    const { train } = await bench(t);
    await exits(
      train('/proc/x/y'),
      2,
      /\/proc\/x\/y: cannot write reports: .*\[unwritable_home\]\n {2}Set ROWCAST_HOME/,
    );
  });

  it('refuses a reports folder in which nothing can be created', {
    skip: process.getuid?.() === 0 && 'root may write everywhere',
  }, async t => {
    const { cwd, train } = await bench(t);
    await mkdir(join(cwd, 'locked'), { mode: 0o500 });
    await exits(train('locked'), 2, /\[unwritable_home\]/);
  });

  it('leaves no folder behind if it was refused', async t => {
    const { cwd, train } = await bench(t);
    await exits(train('a/home', ['--predict', 'nothing']), 2);
    assert.deepEqual(await readdir(cwd), ['history.csv']);
  });

  it('refuses a history that is a file of the report being replaced', async t => {
    const { cwd, train } = await bench(t);
    const env = { ROWCAST_HOME: join(cwd, 'home') };
    const version = join(cwd, 'home/reports/.r.0123456789ab');
    await mkdir(version, { recursive: true });
    await rename(join(cwd, 'history.csv'), join(version, 'history.csv'));
    await symlink('.r.0123456789ab', join(cwd, 'home/reports/r'));
    await symlink('home/reports/r/history.csv', join(cwd, 'history.csv'));
    const before = await readFile(join(version, 'history.csv'), 'utf8');
    const refusals = [
      await train('home', ['--report', 'r']),
      await rowcast(['train', `${version}/../r/history.csv`, '--predict', 'outcome', '--report', 'r'], {
        env,
      }),
      await fromFile(
        ['train', '-', '--predict', 'outcome', '--report', 'r'],
        join(version, 'history.csv'),
        env,
      ),
    ];
    for (const { code, stderr } of refusals) {
      assert.equal(code, 2, stderr);
      assert.match(
        stderr,
        /a file of report r, .* and the training data are the same file \[output_is_input\]/,
      );
    }
    assert.equal(await readFile(join(version, 'history.csv'), 'utf8'), before);
    await exits(train('home', ['--report', 'other']), 0);
  });

  it('refuses an empty history name', async t => {
    const cwd = await newFolder(t);
    await exits(
      rowcast(['train', '', '--predict', 'x'], { cwd }),
      2,
      /^rowcast: the history file name is empty \[usage\]/,
    );
    assert.deepEqual(await readdir(cwd), []);
  });

  it('creates the same report from a file, from stdin, and from either as gzip', async t => {
    const { cwd, train } = await bench(t);
    const text = csv(history({ rows: 100 }));
    await writeFile(join(cwd, 'history.csv.gz'), gzipSync(text));
    const file = await exits(train('home', ['--report', 'r']), 0);
    for (const [input, stdin] of [
      ['-', text],
      ['-', gzipSync(text)],
      ['history.csv.gz', ''],
    ] as const) {
      const args = ['train', input, '--predict', 'outcome', '--report', 'r', '--if-exists', 'replace'];
      const other = await exits(rowcast(args, { cwd, env: { ROWCAST_HOME: 'home' }, stdin }), 0);
      assert.deepEqual(other.stdout, file.stdout);
    }
  });

  it('retrains a report only with --if-exists replace', async t => {
    const { train } = await bench(t);
    const first = await train('home', ['--report', 'r']);
    const refused = await train('home', ['--report', 'r']);
    assert.deepEqual([first.code, refused.code], [0, 2]);
    assert.match(
      refused.stderr,
      /there is already a report "r" \[report_exists\]\n {2}Use --if-exists replace/,
    );
    const skipped = await train('home', ['--report', 'r', '--if-exists', 'skip']);
    assert.match(skipped.stderr, /report r already exists; training skipped\n$/);
    const replaced = await train('home', ['--report', 'r', '--if-exists', 'replace']);
    assert.deepEqual([skipped.code, replaced.code], [0, 0]);
    assert.deepEqual([skipped.stdout, replaced.stdout], [first.stdout, first.stdout]);
  });

  it('says how to fix each error', async t => {
    const { train } = await bench(t);
    for (const [args, says] of [
      [['--predict', 'Outcom'], /Did you mean "outcome"\? The columns are: "customer", /],
      [
        ['--delimiter', ';'],
        /there is no column .*\n {2}The header looks as if its columns are separated by ',': try --delimiter ','/,
      ],
      [['--seed', 'x'], /--seed: expected a whole number, 0 or more, got "x" \[bad_option\]/],
      [['--seeds', '3'], /seeds/],
    ] as const) {
      await exits(train('home', args), 2, says);
    }
  });

  it('says what to do about a history that does not fit in memory', { timeout: 60_000 }, async t => {
    const wide = Array.from({ length: 4000 }, (_, row) => [
      row === 0 ? 'y' : String(row % 2),
      ...Array.from({ length: 400 }, (_, column) => (row === 0 ? `c${column}` : String(row * column * 0.37))),
    ]);
    const cwd = await newFolder(t, { 'wide.csv': csv(wide) });
    await exits(
      rowcast(['train', 'wide.csv', '--predict', 'y'], {
        cwd,
        env: { NODE_OPTIONS: '--max-old-space-size=60' },
      }),
      2,
      /^rowcast: the training data needs more memory .*\[out_of_memory\]\n {2}Remove unimportant columns/m,
    );
    assert.deepEqual(await readdir(cwd), ['wide.csv']);
  });

  it('names a report from stdin after its column only', async t => {
    const cwd = await newFolder(t);
    const stdin = csv(history({ rows: 60 }));
    const { stdout } = await exits(
      rowcast(['train', '-', '--predict', 'outcome'], { cwd, stdin }),
      0,
      /training on stdin to predict outcome/,
    );
    assert.match(stdout.toString(), /^outcome predicts outcome/);
  });

  it('does not wait for a writer that keeps writing after the error', { timeout: 60_000 }, async t => {
    const cwd = await newFolder(t);
    const child = spawnRowcast(['train', '-', '--predict', 'nothing'], { cwd });
    t.after(() => child.kill());
    child.stdin.write(csv(history({ rows: 60 })));
    const [code] = await once(child, 'close'); // stdin is never ended
    assert.equal(code, 2);
  });

  it('reports where a malformed row is, and that nothing was done', async t => {
    const { cwd } = await bench(t);
    for (const [bad, says] of [
      [
        'a,b,c\n',
        /history\.csv:102: the record has 3 fields, the header 5 \[too_few_fields\]\n {2}Row 101\./,
      ],
      ['"a,b\n', /history\.csv:102: the quote that opens on this line is not closed/],
    ] as const) {
      await writeFile(join(cwd, 'history.csv'), csv(history({ rows: 100 })) + bad);
      const { code, stderr } = await rowcast(['train', 'history.csv', '--predict', 'outcome'], { cwd });
      assert.match(stderr, says);
      assert.equal(code, 2);
    }
  });

  it('reads a history without quoting with --quote none', async t => {
    const { cwd, train } = await bench(t);
    const table = history({ rows: 100 }).map(row => row.map(text => text.replaceAll(',', '')));
    await writeFile(join(cwd, 'history.csv'), table.map(row => `${row.join(',')}\n`).join(''));
    await exits(train('home', ['--quote', 'none']), 0);
  });

  it('reads a history with the delimiter of its file extension', async t => {
    const { cwd, train } = await bench(t);
    await writeFile(
      join(cwd, 'tabs.tsv'),
      history({ rows: 100 }).map(row => `${row.map(text => text.replaceAll('"', '')).join('\t')}\n`),
    );
    await exits(rowcast(['train', 'tabs.tsv', '--predict', 'outcome'], { cwd }), 0);
    assert.equal((await train('home')).code, 0);
  });

  it('shows no control characters of the file, neither in notes nor in lists of columns', async t => {
    const table = history({ rows: 100 });
    table[0]?.splice(0, 2, `id${ESC}[2J`, `amount${ESC}[31m`);
    const { train } = await bench(t, table);
    const trained = await exits(train('home'), 0, /Left out "id \[2J"/);
    const refused = await train('home', ['--predict', `no${ESC}thing`]);
    assert.match(refused.stderr, /there is no column "no thing" to predict/);
    assert.match(refused.stderr, /The columns are: "id \[2J", "amount \[31m", /);
    for (const { stdout, stderr } of [trained, refused])
      assert.ok(!`${stdout}${stderr}`.includes(ESC), JSON.stringify(stderr));
  });

  it('truncates long lists of columns and of notes', async t => {
    const wide = history({ rows: 60 }).map((row, i) => [
      ...row,
      ...Array.from({ length: 100 }, (_, column) => (i === 0 ? `column ${column}` : 'same')),
    ]);
    const { train } = await bench(t, wide);
    const trained = await exits(train('home'), 0, /rowcast: and \d+ more notes; the report has them all\n/);
    assert.ok(trained.stderr.split('\n').length < 30, trained.stderr);
    const refused = await train('home', ['--predict', 'nothing']);
    assert.match(refused.stderr, /The columns are: "customer", .*, "column 14" and 85 more\./);
  });
});
