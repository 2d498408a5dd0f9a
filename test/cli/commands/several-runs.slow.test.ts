import assert from 'node:assert/strict';
import { appendFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { describe, it, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Ended, Line } from '../../support/cli/commands.ts';
import { exits } from '../../support/in-process.ts';
import { csv, filesWith } from '../../support/scoring/files.ts';

const semicolons = (text: string): string => text.replaceAll(',', ';');
const three = {
  'in/a.csv': csv(3),
  'in/b.csv.gz': gzipSync(csv(4)),
  'in/eu/c.csv': csv(5),
};
const patterns = 'in/**/*.csv* out/{name}.csv';

/** Files to score, and commands that run on them, with what they print as JSON. */
async function bench(t: TestContext, files: Record<string, string | Buffer> = three) {
  const { run: runLine, env, ...others } = await filesWith(t, files);
  const run = async (line: Line) => {
    const ended = await runLine(line, { env: { ROWCAST_DAY: '2026-10-05' } });
    return { ...ended, json: () => JSON.parse(ended.stdout) };
  };
  const score = (more = '') => run(`score in/**/*.csv* -o out/{name}.csv --report r ${more}`);
  const define = (text: string) => others.write('nightly.yaml', text);
  return { ...others, run, score, define };
}

describe('rowcast verify of what score has made of several files', () => {
  it('takes the same patterns, goes on after a difference, and has a total', async t => {
    const { run, score, read, path } = await bench(t);
    await score();
    await exits(
      run(`verify ${patterns}`),
      0,
      /^rowcast: out\/a\.csv matches in\/a\.csv: 3 rows/,
      /\nrowcast: 3 files: 3 match; 12 rows, 12 scored, 0 rejected, .* rows\/s\n$/,
    );
    assert.equal((await run(`verify ${patterns} -q`)).stderr, '');

    await writeFile(path('out/b.csv'), (await read('out/b.csv')).replace('r1', 'x1'));
    const other = await exits(
      run(`verify ${patterns} --json`),
      4,
      /out\/b\.csv:3: .* \[difference\]/,
      /3 files: 2 match, 1 differs; .*\n {2}differ: out\/b\.csv\n$/,
    );
    const { format, agrees, rows, files } = other.json();
    assert.deepEqual([format, agrees, rows.rows], [1, false, 10]);
    assert.deepEqual(
      files.map((file: { output: string; agrees: boolean }) => [file.output, file.agrees]),
      [
        ['out/a.csv', true],
        ['out/b.csv', false],
        ['out/c.csv', true],
      ],
    );
    assert.deepEqual([files[1].difference.line, files[1].difference.code], [3, 'difference']);

    await rm(path('out/b.csv'));
    const says = /2 match, 1 not verified; .*\n {2}not verified: out\/b\.csv \[no_such_file\]\n$/;
    await exits(run(`verify ${patterns}`), 3, says);
  });

  it('takes the files and the options of a definition, with its variables', async t => {
    const { run, define, path } = await bench(t, {
      'in/2026-10-05/a.csv': semicolons(csv(3)),
      'in/2026-10-05/b.csv': semicolons('id,amount\nr0,0\nbad\n'),
    });
    // biome-ignore-start lint/suspicious/noTemplateCurlyInString: variables of a definition
    await define(
      'score: { input: "in/${ROWCAST_DAY}/*.csv", output: "out/${ROWCAST_DAY}/{name}.csv", rejects: "bad/{name}.csv",\n' +
        '  report: r, delimiter: ";", threshold: { yes: 0.4 }, keep: [id], prefix: p }\n',
    );
    // biome-ignore-end lint/suspicious/noTemplateCurlyInString: variables of a definition
    await exits(run('run nightly.yaml'), 1);
    await exits(
      run('verify --definition nightly.yaml'),
      0,
      /all in bad\/b\.csv\)/,
      /2 files: 2 match; 5 rows, 4 scored, 1 rejected/,
    );
    await rm(path('bad/b.csv'));
    await exits(run('verify --definition nightly.yaml'), 3);
    const half = await run('verify in/2026-10-05/a.csv --definition nightly.yaml');
    assert.match(half.stderr, /missing argument: OUTPUT/);
  });

  it('is one of a single file if its definition has only one, and not of stdout', async t => {
    const { run, define } = await bench(t);
    await define('score: { input: in/a.csv, output: a.csv, report: r, if-exists: skip-unchanged }\n');
    await run('run nightly.yaml');
    const says = /^rowcast: a\.csv matches in\/a\.csv: 3 rows, .*\n$/;
    const { json } = await exits(run('verify --definition nightly.yaml --json'), 0, says);
    assert.deepEqual([json().output, json().agrees, json().rows.rows], ['a.csv', true, 3]);
    await define('score: { input: in/a.csv, report: r }\n');
    assert.match((await run('verify --definition nightly.yaml')).stderr, /writes to stdout.*\[usage\]/);
  });

  it('trusts a definition with the files that run trusts it with', async t => {
    const { run, define, path } = await bench(t);
    await mkdir(path('own'));
    await define('score: { input: ../in/a.csv, output: a.csv, report: r }\n');
    await writeFile(path('own/nightly.yaml'), await readFile(path('nightly.yaml')));
    await run('run own/nightly.yaml --trust-definition');
    for (const command of ['verify', 'status', 'abort', 'repair']) {
      const says = /score\.input: .*\[untrusted_definition\]/;
      await exits(run(`${command} --definition own/nightly.yaml`), 2, says);
    }
    await exits(run('verify --definition own/nightly.yaml --trust-definition'), 0);
  });

  it('finds the inputs of a folder of outputs by its record', async t => {
    const { run, score, path } = await bench(t);
    await score();
    await exits(run('verify out/'), 0, /3 files: 3 match/);
    await writeFile(path('in/d.csv'), 'id\n1\n');
    await score();
    await exits(run('verify out'), 3, /not verified: out\/d\.csv \[no_such_file\]/);
    assert.match((await run('verify in')).stderr, /the folder has no record of runs/);
  });

  it('says of two folders which patterns to give, and they are taken', async t => {
    const { run, score } = await bench(t);
    await score();
    const { stderr } = await exits(run('verify in/ out/'), 2);
    const given = stderr.match(/rowcast verify '(.*?)' '(.*?)'/)?.slice(1) ?? [];
    assert.deepEqual(given, ['in/*.csv', 'out/{name}.csv']);
    await exits(run(`verify ${given.join(' ')}`), 0);
    const folder = await run(['verify', 'in/**/*.csv*', 'out/']);
    assert.match(
      folder.stderr,
      /OUTPUT must name one file for each of the 3 inputs .*\n.*'out\/\{name\}\.csv'/,
    );
  });

  it('does not ask a service again for each of the files that refuses the key', async t => {
    const { run, score, stub, path } = await bench(t);
    await score();
    const asked = stub.bodies.length;
    await writeFile(path('key'), 'another');
    const sample = '--sample 1 --report r --api-key-file key';
    await exits(run(`verify ${patterns} ${sample}`), 3, /3 files: 3 not verified/);
    assert.equal(stub.bodies.length, asked);
  });
});

describe('rowcast repair of several outputs', () => {
  const bad = 'id,amount\nr0,0\nbad\n';

  it('puts the corrections of each that has some into their places', async t => {
    const { run, score, read, path } = await bench(t, {
      'in/a.csv': bad,
      'in/b.csv': csv(3),
      'in/c.csv': bad,
    });
    await exits(score(), 1);
    await exits(run('repair out'), 1); // nothing is corrected
    const correct = async (name: string): Promise<void> => {
      const rejects = await read(`out/${name}.csv.rejects`);
      await writeFile(path(`out/${name}.csv.rejects`), rejects.replace('bad', 'r1,5'));
    };
    await correct('a');
    const scoring = 'score out/a.csv.rejects -o out/a.csv.corrected --report r';
    await exits(run(scoring), 0);
    const one = await exits(
      run('repair out/*.csv --json'),
      1,
      /3 files: 1 repaired, 1 not corrected, 1 without rejects; 1 row repaired, all rejects of 1 file are left\n {2}not corrected: out\/c\.csv\n {2}correct the rows in OUTPUT\.rejects, score that file to OUTPUT\.corrected, and run the same command again\n$/,
    );
    assert.deepEqual(
      one
        .json()
        .files.map((file: { corrected: string | null; rows: { placed: number } | null }) => [
          file.corrected,
          file.rows?.placed,
        ]),
      [
        ['out/a.csv.corrected', 1],
        [null, undefined],
        [null, undefined],
      ],
    );
    await correct('c');
    // The pattern of the rejects names them a.csv and c.csv.
    await exits(run('score out/*.csv.rejects -o fixed/{name} --report r'), 0);
    await exits(run(['repair', 'out/*.csv', 'fixed/{name}.csv']), 0, /1 repaired, 2 without rejects/);
    await exits(run('verify in/*.csv out/{name}.csv'), 0);
  });

  it('gives up as many rows of all of them as are accepted', async t => {
    const { run, score, read, path } = await bench(t, { 'in/a.csv': `${bad}worse\n`, 'in/b.csv': csv(3) });
    await score();
    const rejects = await read('out/a.csv.rejects');
    await writeFile(path('out/a.csv.rejects'), rejects.replace('bad', 'r1,5'));
    await run('score out/a.csv.rejects -o out/a.csv.corrected --report r');
    await exits(run('repair out/*.csv --rejects-ok 1'), 0);
    await exits(run('repair out/*.csv'), 1);
  });

  it('takes outputs, rejects and options of a definition, and the usual name of the corrections', async t => {
    const { run, define, read, path } = await bench(t, { 'in/a.csv': semicolons(bad) });
    await define(
      'score: { input: "in/*.csv", output: "out/{name}.csv", rejects: "bad/{name}.csv", report: r, delimiter: ";" }\n',
    );
    await run('run nightly.yaml');
    await writeFile(path('bad/a.csv'), (await read('bad/a.csv')).replace('bad', 'r1;5'));
    const scoring = 'score bad/a.csv -o out/a.csv.corrected --report r --delimiter ;';
    await exits(run(scoring), 0);
    const says = /1 file: 1 repaired; 1 row repaired, 0 still rejected/;
    await exits(run('repair --definition nightly.yaml'), 0, says);
    await exits(run('verify --definition nightly.yaml'), 0);
    const again = await exits(
      run('repair out/a.csv --definition nightly.yaml --rejects bad/a.csv --json'),
      0,
    );
    assert.deepEqual(again.json().rows, { placed: 0, already: 1, left: 0 });
  });
});

describe('rowcast status and abort of several runs', () => {
  /** Leaves unfinished runs: each stops after two rejected rows. */
  const stop = async (run: (line: string) => Promise<Ended>, ...names: string[]): Promise<void> => {
    for (const name of names)
      await exits(
        run(`score in/${name}.csv -o out/${name}.csv --report r --batch-rows 10 --max-rejects 1`),
        3,
      );
  };
  const stopping = `${csv(40)}bad\n1,2\nbad\n`;

  it('know from a definition what is still to be scored', async t => {
    const { run, score, define, path } = await bench(t);
    await define('score: { input: ["in/**/*.csv*"], output: "out/{name}.csv", report: r }\n');
    const before = await exits(run('status --definition nightly.yaml'), 3);
    assert.match(
      String(before.stdout),
      /^nightly\.yaml: 3 runs: 3 stopped\n\n {2}out\/a\.csv {2}stopped {2}no rows yet/,
    );
    await score();
    const { stdout } = await exits(run('status --definition nightly.yaml'), 0);
    assert.equal(String(stdout), 'nightly.yaml: 3 runs: 3 finished\n');
    // Its inputs were moved away.
    await rm(path('in'), { recursive: true });
    assert.match(String((await run('status --definition nightly.yaml')).stdout), /3 runs: 3 finished/);
    assert.match((await run('status')).stderr, /missing argument: OUTPUT/);
  });

  it('take the pattern of -o, one of files, and several names', async t => {
    const { run, score, path } = await bench(t);
    await writeFile(path('in/d.csv'), 'id\n1\n');
    await score();
    for (const [line, runs, code] of [
      ['status out/{name}.csv', '4 runs: 3 finished, 1 stopped', 3],
      ['status out/[ab].csv', '2 runs: 2 finished', 0],
      ['status out/a.csv out/c.csv', '2 runs: 2 finished', 0],
      ['status out out/a.csv', '4 runs: 3 finished, 1 stopped', 3],
    ] as const) {
      const finished = await run(line);
      assert.match(String(finished.stdout), new RegExp(`: ${runs}\n`), line);
      assert.equal(finished.code, code, line);
    }
    const { code, json } = await run('status out/{name}.csv --json');
    assert.deepEqual([code, json().state, json().runs.length], [3, 'stopped', 4]);
    assert.equal(json().runs[3].error.code, 'missing_columns');
    assert.match((await run('status out/a.csv none.csv')).stderr, /none\.csv: there is no output/);
    assert.match((await run('status out/a.csv in/a.csv')).stderr, /in\/a\.csv: no run is known/);
    await writeFile(path('out/x.csv'), csv(1));
    assert.match(String((await run('status out/[abx].csv')).stdout), /: 2 runs: 2 finished\n/);
  });

  it('discard all that is unfinished in a folder, of a pattern or of a definition, and nothing else', async t => {
    const { run, define, path } = await bench(t, {
      'in/a.csv': stopping,
      'in/b.csv': stopping,
      'in/c.csv': csv(3),
    });
    await define('score: { input: "in/*.csv", output: "out/{name}.csv", report: r }\n');
    await run('score in/c.csv -o out/c.csv --report r');
    for (const line of [
      'abort out',
      'abort out/{name}.csv',
      'abort out/*.csv',
      'abort --definition nightly.yaml',
    ]) {
      await stop(run, 'a', 'b');
      const { stderr, json } = await exits(run(`${line} --json`), 0);
      assert.match(stderr, /out\/a\.csv: the unfinished run is discarded\n/, line);
      assert.match(stderr, /: 2 unfinished runs discarded\n$/, line);
      assert.deepEqual(json().runs, [
        { output: 'out/a.csv', discarded: true },
        { output: 'out/b.csv', discarded: true },
      ]);
      assert.deepEqual(await readdir(path('out')), ['c.csv'], line);
      await exits(run(line), 2, /there is no unfinished run \[no_output\]/);
    }
  });

  it('go on after a run that cannot be discarded', async t => {
    const { run, path } = await bench(t, { 'in/a.csv': stopping, 'in/b.csv': stopping });
    await stop(run, 'a', 'b');
    await rm(path('out/a.csv.checkpoint'));
    await appendFile(path('out/a.csv.partial'), 'of somebody else');
    const says = /out\/a\.csv\.partial: the partial file does not belong to an unfinished run/;
    const { json } = await exits(run('abort out --json'), 3, says);
    assert.deepEqual(
      json().runs.map(({ discarded }: { discarded: boolean }) => discarded),
      [false, true],
    );
    assert.deepEqual(await readdir(path('out')), ['a.csv.partial', 'a.csv.rejects.partial']);
  });
});
