import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { commandsIn } from '../../support/cli/commands.ts';
import { exits } from '../../support/in-process.ts';
import { startStub } from '../../support/stub/service.ts';

describe('rowcast check', () => {
  it('reports everything that is wrong, with file and line, what was meant, and exit code 2', async t => {
    const { run } = await commandsIn(t, {
      'good.yaml': 'score: { input: a.csv, report: r }',
      'bad.yaml':
        'scores: 1\nscore:\n  input: a.csv\n  lmit: 5\n  report: r\nservice:\n  batch-rows: many\n  max-outage: 5 minutes\n',
    });
    const { stdout, stderr } = await exits(run('check good.yaml bad.yaml none.yaml'), 2);
    assert.match(
      stdout,
      /^ {2}reads {3}score\.input: a\.csv\n {2}reads {3}score\.report: the report r in .*\.rowcast\n$/,
    );
    for (const says of [
      /^rowcast: good\.yaml: valid\n/g,
      /rowcast: bad\.yaml:1: scores: unknown key; did you mean score\? \[bad_definition\]/g,
      /rowcast: bad\.yaml:4: score\.lmit: unknown key; did you mean limit\?/g,
      /rowcast: bad\.yaml:7: service\.batch-rows: expected a whole number from 1 to 10000, got "many"/g,
      /max-outage: expected a duration from 0s to 7d, .* got "5 minutes"/g,
      / {2}The keys of score and service .* rowcast evaluate --help\./g,
      /rowcast: none\.yaml: no such file \[no_such_file\]/g,
    ])
      assert.equal(stderr.match(says)?.length, 1, String(says));
    await exits(run('check good.yaml'), 0);
  });

  it('refuses options of a training or an evaluation that exclude each other, as the command would', async t => {
    const score = 'score: { input: a.csv, report: r }\n';
    const { run } = await commandsIn(t, {
      'bins.yaml': `${score}train:\n  history: h.csv\n  report: r\n  predict: y\n  target: numbers\n  bins: 4\n`,
      'key.yaml': `${score}evaluate: { scored: s.csv, labels: l.csv, predict: y }\n`,
      'both.yaml': `${score}train: { history: h.csv, report: r, predict: y, target: numbers }\nevaluate: { scored: s.csv, labels: l.csv, key: id }\n`,
    });
    const bins = run('check bins.yaml');
    await exits(bins, 2, /bins\.yaml: --bins predicts ranges, .*\n {2}Leave out one of them\./);
    await exits(run('check key.yaml'), 2, /key\.yaml:2: --labels: nothing says which label is whose/);
    await exits(run('check both.yaml'), 0);
  });

  it('notices a url without a key, and outputs that are no pattern', async t => {
    const { run } = await commandsIn(t, {
      'a.yaml': 'service: { url: "https://a.example" }\nscore: { input: a.csv, report: r }',
      'b.yaml': 'score: { input: [a.csv, b.csv], output: all.csv, report: r }',
      'c.yaml': 'score: { input: a.csv, output: "{name}-{x}.csv", report: r }',
    });
    const { stderr } = await run('check a.yaml b.yaml c.yaml');
    assert.match(
      stderr,
      /a\.yaml:1: a definition with a url must also name its key \[no_key\]\n {2}.*auth: none.*--trust-definition/,
    );
    assert.match(stderr, /b\.yaml: score\.output must name one file for each of the inputs \[usage\]/);
    assert.match(stderr, /c\.yaml: unknown placeholder in the name of the outputs: \{x\} \[usage\]/);
  });

  it('names what lets a definition use a key of this machine, and not itself', async t => {
    const { run } = await commandsIn(t, {
      'a.yaml':
        'service: { url: "https://a.example", api-key-env: ROWCAST_A }\nscore: { input: a.csv, report: r }',
    });
    const checked = await run('check a.yaml');
    assert.match(checked.stderr, /\[untrusted_definition\]\n {2}If the .*, add --trust-definition\.\n/);
    const ran = await run('run a.yaml');
    assert.match(ran.stderr, /add --trust-definition\. rowcast check shows all/);
    assert.match((await run('run -h')).stdout, /--trust-definition/);
  });

  it('reads stdin, variables and settings, and prints JSON', async t => {
    const { run } = await commandsIn(t);
    const stdin = `score:\n  input: \${ROWCAST_DAY}.csv\n  report: r\n`;
    await exits(run('check -', { stdin, env: { ROWCAST_DAY: '1' } }), 0);
    const { stdout } = await exits(run('check - --json --set score.limit=x', { stdin }), 2);
    const { format, definitions } = JSON.parse(stdout);
    assert.equal(format, 1);
    assert.deepEqual([definitions[0].file, definitions[0].valid], ['-', false]);
    assert.deepEqual(
      definitions[0].problems.map(({ line, code }: { line: number | null; code: string }) => [line, code]),
      [
        [null, 'bad_option'],
        [2, 'bad_definition'],
      ],
    );
  });
});

describe('rowcast run', () => {
  it('runs several definitions; one that fails does not stop the others', async t => {
    const stub = await startStub(t);
    const { run, start, read } = await commandsIn(t, {
      'in/a.csv': 'x\n1\n',
      'in/b.csv': 'x,y\n1,2\n3\n',
      'jobs/a.yaml': 'score: { input: ../in/a.csv, output: ../a.csv, report: r }',
      'jobs/b.yaml': 'score: { input: ../in/b.csv, output: ../b.csv, report: r }',
      'jobs/none.yaml': 'score: { input: ../in/none.csv, output: ../none.csv, report: r }',
      'jobs/wrong.yaml': 'score: { input: 1 }',
    });
    const runs = (files: string) => run(`run --trust-definition ${files}`, { env: stub.env });
    const three = runs('jobs/none.yaml jobs/a.yaml jobs/b.yaml');
    await exits(three, 3, /jobs\/none\.yaml|in\/none\.csv: no such file \[no_such_file\]/);
    assert.match(await read('a.csv'), /^x,probability_no/);
    await exits(runs('jobs/a.yaml jobs/b.yaml'), 1);
    const calls = stub.bodies.length;
    await exits(runs('jobs/none.yaml jobs/a.yaml --fail-fast'), 3);
    await exits(runs('jobs/a.yaml jobs/wrong.yaml'), 2);
    for (const option of ['-o', '--rejects', '--summary', '--summary-html', '--metrics', '--lineage'])
      assert.match((await runs(`jobs/a.yaml jobs/b.yaml ${option} same`)).stderr, /\[same_output\]/, option);
    await exits(runs('- -'), 2);
    assert.equal(stub.bodies.length, calls);
    // At a terminal there is a preview of a CSV, and none of a file that is compressed.
    const env = { ...stub.env, NODE_OPTIONS: '--import=data:text/javascript,process.stdout.isTTY=true' };
    for (const [output, shown] of Object.entries({
      'a.csv': /^\nx {2}… {2}probability_no/,
      'a.csv.gz': /^$/,
    })) {
      const { finished } = start(`run --trust-definition jobs/a.yaml -o ${output}`, { env });
      assert.match((await exits(finished, 0)).stdout.toString(), shown);
    }
  });

  it('gives settings the rank of flags: over the environment, but below flags', async t => {
    const stub = await startStub(t);
    const { run, read } = await commandsIn(t, {
      'in.csv': 'x\n1\n2\n3\n',
      'job.yaml': 'score: { input: in.csv, output: out.csv, report: r, limit: 3 }',
    });
    const env = { ROWCAST_URL: 'http://127.0.0.1:9', ROWCAST_OTHER_KEY: stub.key };
    const settings = `--set service.url=${stub.url} --set service.api-key-env=ROWCAST_OTHER_KEY --set score.limit=2`;
    const rows = async (more = '') => {
      await exits(run(`run job.yaml ${settings} ${more}`, { env }), 0);
      return (await read('out.csv')).trim().split('\n').length - 1;
    };
    assert.equal(await rows(), 2);
    assert.equal(await rows('--limit 1'), 1);
  });
});
