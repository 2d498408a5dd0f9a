import assert from 'node:assert/strict';
import { appendFile, mkdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { runOptions } from '../../../src/base/options/score.ts';
import { newFolder } from '../../support/folder.ts';
import { exits, rowcast } from '../../support/in-process.ts';
import { startObjectService } from '../../support/object-store/object-service.ts';
import { openFiles } from '../../support/open-files.ts';
import { type Stub, type StubOptions, startStub } from '../../support/stub/service.ts';

const VERSION = 'a'.repeat(64);
const described = { classes: ['no', 'yes'], model_sha256: VERSION };

interface Nights {
  folder: string;
  stub: Stub;
  run(args: readonly string[], url?: string): Promise<{ code: number | null; stderr: string; sent: number }>;
}

const INPUT = `id,plan,x\n${Array.from({ length: 20 }, (_, id) => `${id},p${id % 7},${id}`).join('\n')}\n`;

/** The first night, whose output is `old.csv`. */
async function nights(
  t: TestContext,
  options: StubOptions = {},
  first: readonly string[] = [],
): Promise<Nights> {
  const folder = await newFolder(t);
  const stub = await startStub(t, { report: described, ...options });
  const run: Nights['run'] = async (args, url = stub.url) => {
    stub.bodies.length = 0;
    const env = { ROWCAST_URL: url, ROWCAST_API_KEY: stub.key, ROWCAST_TOKEN: 'token-of-a-test' };
    const { code, stderr } = await rowcast(['score', '--report', 'r', ...args], { cwd: folder, env });
    return { code, stderr, sent: stub.bodies.reduce((sum, { personas }) => sum + personas.length, 0) };
  };
  await writeFile(join(folder, 'in.csv'), INPUT);
  await exits(run(['in.csv', '-o', 'old.csv', '--reuse', 'none', ...first]), 0);
  return { folder, stub, run };
}

const again = ['in.csv', '-o', 'new.csv', '--reuse', 'old.csv'];

/**
 * Each option that affects an output: arguments with another value, and what must become of them. `harmless`: all rows
 * are found; otherwise what the refusal says.
 */
const changes: Readonly<Record<string, [args: string[], expected: 'harmless' | RegExp]>> = {
  features: [['--features', 'plan,x'], /what is sent was/],
  'exclude-features': [['--exclude-features', 'id'], /what is sent was/],
  // It is a part of what the report says.
  predict: [['--predict', 'y'], /the report r has changed/],
  types: [['--types', 'x=text'], /what is sent was/],
  nulls: [['--nulls', '3'], /--nulls was \[\], now it is \["3"\]/],
  missing: [['--missing', 'null'], /--missing was/],
  'allow-missing': [['--allow-missing'], 'harmless'],
  names: [['--names', 'id,plan,x', '--skip-lines', '1'], 'harmless'],
  encoding: [['--encoding', 'latin1'], 'harmless'],
  limit: [['--limit', '5'], 'harmless'],
  'skip-lines': [['--names', 'id,plan,x', '--skip-lines', '1'], 'harmless'],
  'output-format': [['--output-format', 'jsonl'], /the output is of the format jsonl/],
  'group-rows': [['--group-rows', '7'], 'harmless'],
  keep: [['--keep', 'id'], 'harmless'],
  rename: [['--rename', 'x=z'], /--rename was/],
  'output-header': [['--no-output-header'], /an output without a header/],
  prediction: [['--prediction'], /--prediction was false, now it is true/],
  threshold: [['--threshold', 'yes=0.9'], /--threshold was/],
  probabilities: [['--probabilities', 'yes'], /--probabilities was/],
  decimals: [['--decimals', '3'], /--decimals was/],
  classes: [['--classes', 'yes,no'], /--classes was/],
  prefix: [['--prefix', 'p'], /--prefix was/],
};

/** Those that only a definition has, of protocols that no report has; they are compared as they are. */
const ofDefinitions = ['wire', 'custom'];

describe('what made earlier predictions', () => {
  it('has a test for each option that affects an output', () => {
    const affecting = Object.entries(runOptions).filter(([, { affectsOutput }]) => affectsOutput === true);
    assert.deepEqual(
      affecting.map(([name]) => name).toSorted(),
      [...Object.keys(changes), ...ofDefinitions].toSorted(),
    );
  });

  it('is compared, so that an option that was changed is refused, or harmless', async t => {
    const { run, folder } = await nights(t);
    for (const [name, [args, expected]] of Object.entries(changes)) {
      const { code, stderr, sent } = await run([...again, ...args]);
      if (expected === 'harmless') {
        assert.equal(code, 0, `${name}: ${stderr}`);
        assert.equal(sent, 0, name);
        const reused = await readFile(join(folder, 'new.csv'));
        await run([...again.slice(0, 3), ...args]);
        assert.deepEqual(reused, await readFile(join(folder, 'new.csv')), name);
      } else {
        assert.equal(code, 2, `${name}: ${stderr}`);
        assert.match(stderr, expected, name);
        assert.equal(sent, 0, name);
      }
    }
  });

  it('is also the service, its headers, the report and how the file is read', async t => {
    const { run, folder } = await nights(t);
    const other = await startStub(t, { report: described });
    const service = await run(again, other.url);
    assert.match(service.stderr, /the service was http.*, now it is http/);
    const headers = await run([...again, '--header-env', 'X-Token=ROWCAST_TOKEN']);
    assert.match(headers.stderr, /what --header-env names was not given, now it is \["x-token"\]/);
    const report = await run([...again, '--report', 'other']);
    assert.match(report.stderr, /the report was r, now it is other/);
    await writeFile(join(folder, 'in.csv'), INPUT.replaceAll(',', ';'));
    const read = await run([...again, '--delimiter', ';']);
    assert.match(read.stderr, /the input was read with --delimiter ','/);
    await writeFile(join(folder, 'in.csv'), INPUT.replaceAll('id,plan', 'plan,id'));
    const columns = await run(again);
    assert.match(columns.stderr, /what is sent was/);
    for (const { code } of [service, headers, report, read, columns]) assert.equal(code, 2);
  });

  it('is the version of the model', async t => {
    let version = VERSION;
    const first: StubOptions['first'] = (request, response) => {
      if (!request.url?.startsWith('/user/report/')) return false;
      response.end(JSON.stringify({ ...described, model_sha256: version, tech_specs: {}, drivers: [] }));
      return true;
    };
    const { run } = await nights(t, { first });
    version = 'b'.repeat(64);
    await exits(run(again), 2, /the report r has changed/);
  });
});

describe('an earlier output', () => {
  it('is refused if it was changed by hand, and not if only its time has changed', async t => {
    const { folder, run } = await nights(t);
    const old = join(folder, 'old.csv');
    await utimes(old, 1, 1);
    assert.deepEqual(await run(again).then(({ code, sent }) => ({ code, sent })), { code: 0, sent: 0 });
    await appendFile(old, '20,p1,20,0.5,0.5\n');
    await exits(run(again), 2, /the file was changed or repaired since its run has finished/);
  });

  it('may be the output that is replaced, of which nothing is reused if a run was killed at its end', async t => {
    const { folder, run } = await nights(t);
    const own = ['in.csv', '-o', 'old.csv', '--reuse', 'old.csv'];
    for (let night = 0; night < 2; night++)
      assert.deepEqual(await run(own).then(({ code, sent }) => ({ code, sent })), { code: 0, sent: 0 });
    await appendFile(join(folder, 'old.csv'), '20,p1,20,0.5,0.5\n');
    const { code, sent, stderr } = await run(own);
    assert.deepEqual([code, sent], [0, 20], stderr);
    assert.match(stderr, /nothing of old\.csv is reused: nothing tells what made it/);
  });

  it('is refused if nothing tells what made it, and passed over if it is not there', async t => {
    const { folder, run } = await nights(t);
    await writeFile(join(folder, 'other.csv'), await readFile(join(folder, 'old.csv')));
    await exits(run(['in.csv', '-o', 'new.csv', '--reuse', 'other.csv']), 2, /there is no other\.csv\.reuse/);
    const none = await run(['in.csv', '-o', 'new.csv', '--reuse', 'none.csv']);
    assert.deepEqual([none.code, none.sent], [0, 20]);
    assert.match(none.stderr, /nothing of none\.csv is reused: there is no such file/);
  });

  it('is refused if columns that were sent are not in it', async t => {
    const { folder, run } = await nights(t, {}, ['--keep', 'id,plan']);
    await exits(run(again), 2, /it has no column "x", which is sent/);
    assert.deepEqual(await openFiles(folder), []);
  });

  it('of a service without versions needs --reuse-max-age, which is the age of the oldest predictions', async t => {
    const { folder, run } = await nights(t, { report: { classes: ['no', 'yes'] } }, [
      '--reuse-max-age',
      '1h',
    ]);
    await exits(run(again), 2, /the service states no version of its model/);
    const record = join(folder, 'old.csv.reuse');
    const made = JSON.parse(await readFile(record, 'utf8'));
    const before = new Date(Date.now() - 50 * 60_000).toISOString();
    await writeFile(record, JSON.stringify({ ...made, predicted_at: before }));
    const young = await run([...again, '--reuse-max-age', '1h']);
    assert.deepEqual([young.code, young.sent], [0, 0], young.stderr);
    assert.match(young.stderr, /predictions since .* are reused, although the service does not tell/);
    // The predictions of the second night are those of the first.
    assert.equal(JSON.parse(await readFile(join(folder, 'new.csv.reuse'), 'utf8')).predicted_at, before);
    const old = await run([...again, '--reuse-max-age', '40m']);
    assert.deepEqual([old.code, old.sent], [0, 20]);
    assert.match(old.stderr, /older than --reuse-max-age/);
  });

  it('is one for each of several inputs, or the last ones that a pattern names', async t => {
    const { folder, run } = await nights(t);
    await mkdir(join(folder, 'in'));
    for (const name of ['a', 'b'])
      await writeFile(join(folder, 'in', `${name}.csv`), INPUT.replaceAll('p1', name));
    const first = await run(['in/*.csv', '-o', '1/{name}.csv', '--reuse', '0/{name}.csv']);
    assert.deepEqual([first.code, first.sent], [0, 40], first.stderr);
    const second = await run(['in/*.csv', '-o', '2/{name}.csv', '--reuse', '1/{name}.csv']);
    assert.deepEqual([second.code, second.sent], [0, 0], second.stderr);
    assert.match(second.stderr, /40 rows scored \(40 reused, 100%\)/);
    const joined = await run(['in/a.csv', '-o', 'c.csv', '--reuse', '2/*.csv', '--reuse', 'old.csv']);
    assert.deepEqual([joined.code, joined.sent], [0, 0], joined.stderr);
    const shards = ['--workers', '2', '--shards', 'dir'];
    const sharded = await run(['in/*.csv', '-o', '3/{name}.csv', '--reuse', '2/{name}.csv', ...shards]);
    assert.deepEqual([sharded.code, sharded.sent], [0, 0], sharded.stderr);
    assert.deepEqual(await readFile(join(folder, '3/b.csv')), await readFile(join(folder, '2/b.csv')));
    const last = await run(['in/*.csv', '-o', '4/{name}.csv', '--reuse', '3/{name}.csv']);
    assert.deepEqual([last.code, last.sent], [0, 0], last.stderr);
  });

  it('may be an object of a store, and so may the run that reuses it', async t => {
    const { folder, stub } = await nights(t);
    const store = await startObjectService(t);
    store.put('/in.csv', Buffer.from(INPUT));
    const env = {
      ...{ AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test', AWS_ENDPOINT_URL_S3: store.endpoint },
      ...{ ROWCAST_URL: stub.url, ROWCAST_API_KEY: stub.key },
    };
    const run = async (output: string, reused: string): Promise<number> => {
      stub.bodies.length = 0;
      const args = ['score', 's3://bucket/in.csv', '--report', 'r', '-o', output, '--reuse', reused];
      await exits(rowcast(args, { cwd: folder, env }), 0);
      return stub.bodies.reduce((sum, { personas }) => sum + personas.length, 0);
    };
    assert.equal(await run('s3://bucket/a.csv.gz', 's3://bucket/none.csv'), 20);
    assert.equal(await run('s3://bucket/b.csv', 's3://bucket/a.csv.gz'), 0);
    assert.equal(await run('c.csv', 's3://bucket/b.csv'), 0);
    assert.deepEqual(await readFile(join(folder, 'c.csv')), await readFile(join(folder, 'old.csv')));
  });

  it('is pointless for a local report', async t => {
    const { folder } = await nights(t);
    const args = 'score in.csv -o new.csv --report r --reuse old.csv --url local'.split(' ');
    const trained = ['train', 'in.csv', '--predict', 'plan', '--report', 'r', '--home', 'home'];
    await writeFile(join(folder, 'in.csv'), `plan,x\n${'a,1\nb,2\n'.repeat(60)}`);
    assert.equal((await rowcast(trained, { cwd: folder })).code, 0);
    await exits(
      rowcast([...args, '--home', 'home'], { cwd: folder }),
      2,
      /a local report predicts a row in the time in which an earlier prediction is found/,
    );
  });
});

describe('--reuse-sample', () => {
  it('asks again for some rows, and stops if one differs', async t => {
    let isOther = false;
    const { folder, run } = await nights(t, {
      behave({ defaultResponse }) {
        if (isOther) defaultResponse.predictions[0] = { probabilities: { no: 0.25, yes: 0.75 } };
        return false;
      },
    });
    const sampled = [...again, '--reuse-sample', '100%'];
    assert.deepEqual(await run(sampled).then(({ code, sent }) => ({ code, sent })), { code: 0, sent: 20 });
    assert.deepEqual(await readFile(join(folder, 'new.csv')), await readFile(join(folder, 'old.csv')));
    isOther = true;
    await exits(run(sampled), 3, /in\.csv.*the service now gives another prediction/);
  });
});
