import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { describe, it, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { commandsIn } from '../support/cli/commands.ts';
import { fileServer } from '../support/file-server.ts';
import { startObjectService } from '../support/object-store/object-service.ts';
import { exits, rowcast as startedRowcast, startRowcast } from '../support/rowcast.ts';
import { csv } from '../support/scoring/files.ts';
import { slow } from '../support/slow.ts';
import { startStub } from '../support/stub/service.ts';

/** Commands with a store that has these objects. */
async function bench(t: TestContext, objects: Record<string, string | Buffer> = {}) {
  const service = await startObjectService(t);
  for (const [key, content] of Object.entries(objects)) service.put(key, Buffer.from(content));
  const stub = await startStub(t);
  const keys = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' };
  const commands = await commandsIn(t, {}, { ...keys, AWS_ENDPOINT_URL_S3: service.endpoint, ...stub.env });
  const textOf = (key: string): string | undefined => service.objects.get(key)?.bytes.toString();
  return { ...commands, service, keys, stub, textOf };
}

const score = 'score --report r';

describe('a command with objects', () => {
  it('scores one to another, writes what else it is told to there, and verifies it', async t => {
    const { run, textOf, service } = await bench(t, { '/in/a.csv': csv(40) });
    const files = '--summary s3://bucket/s.json --metrics s3://bucket/m.txt';
    await exits(run(`${score} s3://bucket/in/a.csv -o s3://bucket/out/a.csv ${files}`), 0);
    assert.equal(textOf('/out/a.csv')?.split('\n').length, 42);
    assert.deepEqual(JSON.parse(textOf('/s.json') ?? '').status, 'finished');
    assert.match(textOf('/m.txt') ?? '', /rowcast_run_rows/);
    assert.ok(![...service.objects.keys()].some(key => key.endsWith('.checkpoint')));
    const verified = await run('verify s3://bucket/in/a.csv s3://bucket/out/a.csv');
    assert.match(verified.stderr, /matches s3:\/\/bucket\/in\/a\.csv: 40 rows/);
    assert.match((await run('status s3://bucket/out/a.csv')).stdout, /finished/);
    await exits(run('abort s3://bucket/out/a.csv'), 2);
    await exits(run('status s3://bucket/none.csv'), 2);
  });

  it('says how rejects in a store are repaired: with local copies', async t => {
    const corrected = csv(4).split('\n')[3] ?? '';
    const { run, read, write, bytesIn, textOf, cwd, keys, service } = await bench(t, {
      '/in/a.csv': `${csv(3)}only-one\n${csv(5).split('\n')[4]}\n`,
    });
    const { stderr } = await exits(run(`${score} s3://bucket/in/a.csv -o s3://bucket/out/a.csv`), 1);
    const [, where, first = '', repair = ''] =
      /are in (.*); repair needs local files: copy s3:.*a\.csv\.rejects and s3:\/\/bucket\/out\/a\.csv here, .*:\n {2}rowcast (.*)\n {2}rowcast (.*)\n/.exec(
        stderr,
      ) ?? [];
    assert.equal(where, 's3://bucket/out/a.csv.rejects', stderr);
    await write('a.csv', textOf('/out/a.csv') ?? '');
    await write('a.csv.rejects', (textOf('/out/a.csv.rejects') ?? '').replace('only-one', corrected));
    await exits(run(first), 0);
    // The corrections may have been scored to a store, of which the machine knows nothing.
    service.put('/corrected.csv', await bytesIn('a.csv.corrected'));
    const stored = repair.replace(/\S+\.corrected/, 's3://bucket/corrected.csv');
    const words = `${stored} --store-options endpoint=${service.endpoint}`.split(' ');
    await exits(startedRowcast(words, { cwd, env: keys }), 0);
    assert.equal((await read('a.csv')).split('\n').length, 7);
  });

  it('says that it tries again while a store is unavailable', async t => {
    const { run, service } = await bench(t, { '/in/a.csv': csv(3) });
    let refused = 0;
    service.hooks.refuse = ({ text }) =>
      text === 'GET /in/a.csv' && refused++ === 0 ? [503, 'SlowDown'] : undefined;
    const says = /s3:\/\/bucket\/in\/a\.csv: .*SlowDown; will keep trying for up to .* \(--max-outage\)/;
    await exits(run(`${score} s3://bucket/in/a.csv -o out.csv`), 0, says);
  });

  it('ends at once with a signal, although the store of its output is unavailable', async t => {
    const { env, cwd, service, write, jsonIn } = await bench(t);
    await write('in.csv', csv(3));
    let isDown = false;
    const requests = new EventEmitter();
    const isRefused = once(requests, 'refused');
    service.hooks.refuse = ({ text }) => {
      isDown ||= text.startsWith('POST /out.csv');
      if (isDown) requests.emit('refused');
      return isDown ? [503, 'SlowDown'] : undefined;
    };
    const line = `${score} in.csv -o s3://bucket/out.csv --max-outage 10m --summary s.json`;
    const { child, finished } = startRowcast(line.split(' '), { cwd, env });
    await isRefused;
    child.kill('SIGTERM');
    const { code, signal, stderr } = await finished;
    assert.ok(code === 143 || signal === 'SIGTERM', `${code} ${signal}: ${stderr}`);
    assert.equal((await jsonIn('s.json')).exit_code, 143);
  });

  it('scores those that match a pattern, and skips them when nothing has changed', async t => {
    const { run, textOf, service } = await bench(t, {
      '/in/a.csv': csv(3),
      '/in/b.csv.gz': gzipSync(csv(4)),
      '/in/eu/c.csv': csv(5),
      '/in/no.txt': 'no',
    });
    const files = 's3://bucket/in/**/*.csv* s3://bucket/out/{dir}/{name}.csv';
    const all = `${score} ${files.replace(' ', ' -o ')}`;
    await exits(run(all), 0);
    const lengths = ['/out/a.csv', '/out/b.csv', '/out/eu/c.csv'].map(key => textOf(key)?.split('\n').length);
    assert.deepEqual(lengths, [5, 6, 7]);
    const { size } = service.objects;
    await exits(run(all), 0, /3 files? .*(skipped|unchanged)|nothing|unchanged/);
    service.put('/in/eu/c.csv', Buffer.from(csv(6)));
    await exits(run(all), 0);
    assert.equal(textOf('/out/eu/c.csv')?.split('\n').length, 8);
    assert.equal(service.objects.size, size);
    await exits(run(`verify ${files}`), 0, /3 files: 3 match; 13 rows/);
    for (const pattern of ['s3://bucket/out/{dir}/{name}.csv', 's3://bucket/out/**/*.csv'])
      assert.match((await run(`status ${pattern}`)).stdout, /: 3 runs: 3 finished\n$/, pattern);
    const says = /s3:\/\/bucket\/in\/\*\.tsv: no file matches the pattern \[no_such_file\]/;
    await exits(run(`${score} s3://bucket/in/*.tsv -o s3://bucket/{name}.csv`), 2, says);
  });

  slow('takes a key that exists for no pattern', async t => {
    const { run, textOf } = await bench(t, { '/in/*.csv': csv(1), '/in/a.csv': csv(2) });
    await exits(run(`${score} s3://bucket/in/*.csv -o s3://bucket/out.csv`), 0);
    assert.equal(textOf('/out.csv')?.split('\n').length, 3);
  });

  it('reads a URL that is a secret from a variable, and shows it nowhere', async t => {
    const { run, read } = await bench(t);
    const server = await fileServer(t, { '/in.csv': Buffer.from(csv(7)) });
    const secret = `${server.url('/in.csv')}?sig=SECRET`;
    const scoring = run(`${score} --input-env ROWCAST_INPUT -o out.csv --summary s.json`, {
      env: { ROWCAST_INPUT: secret },
    });
    const { stderr } = await exits(scoring, 0);
    const summary = await read('s.json');
    assert.equal(JSON.parse(summary).input, server.url('/in.csv'));
    assert.doesNotMatch(stderr + summary, /SECRET/);
    await exits(run(`${score} ${secret} -o out.csv`), 2, /may hold a secret/);
    for (const name of ['HOME', 'ROWCAST_API_KEY', 'ROWCAST_NONE'])
      await exits(run(`${score} --input-env ${name}`), 2);
  });

  slow('trains with an object', async t => {
    const { env, keys, service } = await bench(t, {
      '/history.csv': `plan,out\n${'a,yes\nb,no\n'.repeat(60)}`,
    });
    const train = `train s3://bucket/history.csv --predict out --report h --if-exists replace`.split(' ');
    // Training has threads, which have the environment of their process.
    const { cwd } = await commandsIn(t);
    await exits(startedRowcast(train, { cwd, env }), 0);
    // The same without a configuration of the machine.
    const options = ['--store-options', `endpoint=${service.endpoint},region=eu-west-1`];
    await exits(startedRowcast([...train, ...options], { cwd, env: keys }), 0);
  });

  it('sends no credentials of its own to an endpoint that only a definition names', async t => {
    const { run, write, service } = await bench(t, { '/in/a.csv': csv(3) });
    const options = (more = ''): string => `store-options: { endpoint: '${service.endpoint}'${more} }`;
    const definition = (more: string): string =>
      `score: { input: s3://bucket/in/a.csv, output: out.csv, report: r, ${options(more)} }\n`;
    await write('d.yaml', definition(''));
    const train = `train: { history: a.csv, predict: amount, report: t, ${options()} }\n`;
    await write('train.yaml', `${train}score: { input: a.csv, output: b.csv, report: t }\n`);
    let asked = 0;
    service.hooks.before = () => {
      asked++;
    };
    const says =
      /store-options\.endpoint: the definition would send requests for stores to http:.*untrusted_definition/;
    const own = 'run d.yaml --set score.input=s3://bucket/in/a.csv';
    const verify = 'verify s3://bucket/in/a.csv out.csv --definition d.yaml';
    for (const line of [own, verify, 'run train.yaml --home home']) await exits(run(line), 2, says);
    assert.equal(asked, 0);
    await exits(run(`${own} --store-options endpoint=${service.endpoint}`), 0);
    await write('d.yaml', definition(', unsigned: "true"'));
    await exits(run(`${own} --restart`), 0);
  });
});
