import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readdir, readFile, rename, symlink } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { commandsIn } from '../../support/cli/commands.ts';
import { bin, exits, rowcast, spawnRowcast } from '../../support/rowcast.ts';
import { csv, history } from '../../support/service/history.ts';

const train = 'train history.csv --predict outcome';

/** A folder with a history, and commands whose home is in it. */
const bench = (t: TestContext, table = history({ rows: 100 })) =>
  commandsIn(t, { 'history.csv': csv(table) }, { ROWCAST_HOME: 'home' });

/** Runs rowcast with a file as stdin, like `<` in a shell. */
async function fromFile(line: string, cwd: string, file: string): Promise<{ code: number; stderr: string }> {
  const input = await open(file);
  const child = spawn(process.execPath, [bin, ...line.split(' ')], {
    cwd,
    env: { ROWCAST_HOME: 'home' },
    stdio: [input.fd, 'ignore', 'pipe'],
  });
  assert.ok(child.stderr);
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  await input.close();
  return { code, stderr };
}

const ESC = '\u001b';

describe('rowcast train', () => {
  it('refuses a home that is a file, or inside one, before training', async t => {
    const { run, write } = await bench(t);
    await write('home', '');
    const says =
      /rowcast: .*\/home.*: cannot write reports: a file exists where a folder is needed \[unwritable_home\]/;
    for (const home of ['home', 'home/deeper']) {
      const { stderr } = await exits(run(train, { env: { ROWCAST_HOME: home } }), 2, says);
      assert.doesNotMatch(stderr, /\n +at /);
    }
  });

  it('refuses a home on a file system where no folders can be created', {
    skip: process.platform !== 'linux' && 'only Linux has /proc',
    timeout: 60_000,
  }, async t => {
    const { run } = await bench(t);
    const says = /\/proc\/x\/y: cannot write reports: .*\[unwritable_home\]\n {2}Set ROWCAST_HOME/;
    await exits(run(train, { env: { ROWCAST_HOME: '/proc/x/y' } }), 2, says);
  });

  it('refuses a reports folder in which nothing can be created', {
    skip: process.getuid?.() === 0 && 'root may write everywhere',
  }, async t => {
    const { run, path } = await bench(t);
    await mkdir(path('locked'), { mode: 0o500 });
    await exits(run(train, { env: { ROWCAST_HOME: 'locked' } }), 2, /\[unwritable_home\]/);
  });

  it('leaves no folder behind if it was refused', async t => {
    const { cwd, run } = await bench(t);
    await exits(run(`${train} --predict nothing --home a/home`), 2);
    assert.deepEqual(await readdir(cwd), ['history.csv']);
  });

  it('refuses a history that is a file of the report being replaced', async t => {
    const { cwd, run, path } = await bench(t);
    const version = path('home/reports/.r.0123456789ab');
    await mkdir(version, { recursive: true });
    await rename(path('history.csv'), `${version}/history.csv`);
    await symlink('.r.0123456789ab', path('home/reports/r'));
    await symlink('home/reports/r/history.csv', path('history.csv'));
    const before = await readFile(`${version}/history.csv`, 'utf8');
    const says = /a file of report r, .* and the training data are the same file \[output_is_input\]/;
    const asReport = '--predict outcome --report r';
    await exits(run(`train history.csv ${asReport}`), 2, says);
    await exits(run(`train ${version}/../r/history.csv ${asReport}`), 2, says);
    await exits(fromFile(`train - ${asReport}`, cwd, `${version}/history.csv`), 2, says);
    assert.equal(await readFile(`${version}/history.csv`, 'utf8'), before);
    await exits(run(`${train} --report other`), 0);
  });

  it('refuses an empty history name', async t => {
    const { cwd, run } = await commandsIn(t);
    const says = /^rowcast: the history file name is empty \[usage\]/;
    await exits(run(['train', '', '--predict', 'x']), 2, says);
    assert.deepEqual(await readdir(cwd), []);
  });

  it('creates the same report from a file, from stdin, and from either as gzip', async t => {
    const { run, write } = await bench(t);
    const text = csv(history({ rows: 100 }));
    await write('history.csv.gz', gzipSync(text));
    const file = await exits(run(`${train} --report r`), 0);
    for (const [input, stdin] of [
      ['-', text],
      ['-', gzipSync(text)],
      ['history.csv.gz', ''],
    ] as const) {
      const other = run(`train ${input} --predict outcome --report r --if-exists replace`, { stdin });
      assert.deepEqual((await exits(other, 0)).stdout, file.stdout);
    }
  });

  it('retrains a report only with --if-exists replace', async t => {
    const { run } = await bench(t);
    const ownTrain = `${train} --report r`;
    const { stdout } = await exits(run(ownTrain), 0);
    const refusal = /there is already a report "r" \[report_exists\]\n {2}Use --if-exists replace/;
    await exits(run(ownTrain), 2, refusal);
    const skipping = run(`${ownTrain} --if-exists skip`);
    const skipped = await exits(skipping, 0, /report r already exists; training skipped\n$/);
    const replaced = await exits(run(`${ownTrain} --if-exists replace`), 0);
    assert.deepEqual([skipped.stdout, replaced.stdout], [stdout, stdout]);
  });

  it('says how to fix each error', async t => {
    const { run } = await bench(t);
    for (const [options, says] of [
      ['--predict Outcom', /Did you mean "outcome"\? The columns are: "customer", /],
      [
        '--delimiter ;',
        /there is no column .*\n {2}The header looks as if its columns are separated by ',': try --delimiter ','/,
      ],
      ['--seed x', /--seed: expected a whole number, 0 or more, got "x" \[bad_option\]/],
    ] as const)
      await exits(run(`${train} ${options}`), 2, says);
  });

  it('says what to do about a history that does not fit in memory', { timeout: 60_000 }, async t => {
    const wide = Array.from({ length: 4000 }, (_, row) => [
      row === 0 ? 'y' : String(row % 2),
      ...Array.from({ length: 400 }, (_, column) => (row === 0 ? `c${column}` : String(row * column * 0.37))),
    ]);
    const { cwd } = await bench(t, wide);
    const env = { NODE_OPTIONS: '--max-old-space-size=60' };
    const says =
      /^rowcast: the training data needs more memory .*\[out_of_memory\]\n {2}Remove unimportant columns/m;
    await exits(rowcast(['train', 'history.csv', '--predict', 'y'], { cwd, env }), 2, says);
    assert.deepEqual(await readdir(cwd), ['history.csv']);
  });

  it('names a report from stdin after its column only', async t => {
    const { run } = await commandsIn(t);
    const training = run('train - --predict outcome', { stdin: csv(history({ rows: 60 })) });
    const { stdout } = await exits(training, 0, /training on stdin to predict outcome/);
    assert.match(stdout, /^outcome predicts outcome/);
  });

  it('does not wait for a writer that keeps writing after the error', { timeout: 60_000 }, async t => {
    const { cwd } = await commandsIn(t);
    const child = spawnRowcast(['train', '-', '--predict', 'nothing'], { cwd });
    t.after(() => child.kill());
    child.stdin.write(csv(history({ rows: 60 })));
    const [code] = await once(child, 'close'); // stdin is never ended
    assert.equal(code, 2);
  });

  it('reports where a malformed row is, and that nothing was done', async t => {
    const { run, write } = await bench(t);
    for (const [bad, says] of [
      [
        'a,b,c\n',
        /history\.csv:102: the record has 3 fields, the header 5 \[too_few_fields\]\n {2}Row 101\./,
      ],
      ['"a,b\n', /history\.csv:102: the quote that opens on this line is not closed/],
    ] as const) {
      await write('history.csv', csv(history({ rows: 100 })) + bad);
      await exits(run(train), 2, says);
    }
  });

  it('reads a history without quoting, and with the delimiter of its file extension', async t => {
    const { run, write } = await bench(t);
    const plain = history({ rows: 100 }).map(row => row.map(text => text.replaceAll(/[",]/g, '')));
    await write('history.csv', plain.map(row => `${row.join(',')}\n`).join(''));
    await exits(run(`${train} --quote none`), 0);
    await write('tabs.tsv', plain.map(row => `${row.join('\t')}\n`).join(''));
    await exits(run('train tabs.tsv --predict outcome --report tabs'), 0);
  });

  it('shows no control characters of the file, neither in notes nor in lists of columns', async t => {
    const table = history({ rows: 100 });
    table[0]?.splice(0, 2, `id${ESC}[2J`, `amount${ESC}[31m`);
    const { run } = await bench(t, table);
    const trained = await exits(run(train), 0, /Left out "id \[2J"/);
    const refused = await run(`${train} --predict no${ESC}thing`);
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
    const { run } = await bench(t, wide);
    const trained = await exits(run(train), 0, /rowcast: and \d+ more notes; the report has them all\n/);
    assert.ok(trained.stderr.split('\n').length < 30, trained.stderr);
    const refused = await run(`${train} --predict nothing`);
    assert.match(refused.stderr, /The columns are: "customer", .*, "column 14" and 85 more\./);
  });
});
