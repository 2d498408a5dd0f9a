import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { fileServer } from '../support/file-server.ts';
import { newFolder } from '../support/folder.ts';
import { rowcast as rowcastHere } from '../support/in-process.ts';
import { type ObjectService, startObjectService } from '../support/object-store/object-service.ts';
import { exits, type Finished, rowcast as startedRowcast, startRowcast } from '../support/rowcast.ts';
import { csv } from '../support/scoring/files.ts';
import { slow } from '../support/slow.ts';
import { startStub } from '../support/stub/service.ts';

interface Bench {
  service: ObjectService;
  folder: string;
  env: Record<string, string>;
  rowcast(...args: string[]): Promise<Finished>;
  textOf(key: string): string | undefined;
}

async function bench(t: TestContext, objects: Record<string, string | Buffer> = {}): Promise<Bench> {
  const service = await startObjectService(t);
  for (const [key, content] of Object.entries(objects)) service.put(key, Buffer.from(content));
  const stub = await startStub(t);
  const folder = await newFolder(t);
  const env = {
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL_S3: service.endpoint,
    ROWCAST_URL: stub.url,
    ROWCAST_API_KEY: stub.key,
  };
  return {
    service,
    folder,
    env,
    rowcast: (...args) => rowcastHere(args, { cwd: folder, env }),
    textOf: key => service.objects.get(key)?.bytes.toString(),
  };
}

const report = ['--report', 'r'];

describe('a command with objects', () => {
  it('scores one to another, writes what else it is told to there, and verifies it', async t => {
    const { rowcast, textOf, service } = await bench(t, { '/in/a.csv': csv(40) });
    const files = ['--summary', 's3://bucket/s.json', '--metrics', 's3://bucket/m.txt'];
    const score = ['score', 's3://bucket/in/a.csv', ...report, '-o', 's3://bucket/out/a.csv', ...files];
    await exits(rowcast(...score), 0);
    assert.equal(textOf('/out/a.csv')?.split('\n').length, 42);
    assert.deepEqual(JSON.parse(textOf('/s.json') ?? '').status, 'finished');
    assert.match(textOf('/m.txt') ?? '', /rowcast_run_rows/);
    assert.deepEqual(
      [...service.objects.keys()].filter(key => key.endsWith('.checkpoint')),
      [],
    );
    const verified = await rowcast('verify', 's3://bucket/in/a.csv', 's3://bucket/out/a.csv');
    assert.match(verified.stderr, /matches s3:\/\/bucket\/in\/a\.csv: 40 rows/);
    const status = await rowcast('status', 's3://bucket/out/a.csv');
    assert.match(status.stdout.toString(), /finished/);
    assert.equal((await rowcast('abort', 's3://bucket/out/a.csv')).code, 2);
    assert.equal((await rowcast('status', 's3://bucket/none.csv')).code, 2);
  });

  it('says how rejects in a store are repaired: with local copies', async t => {
    const { rowcast, folder, textOf, env, service } = await bench(t, {
      '/in/a.csv': `${csv(3)}only-one\n${csv(5).split('\n')[4]}\n`,
    });
    const { stderr } = await exits(
      rowcast('score', 's3://bucket/in/a.csv', ...report, '-o', 's3://bucket/out/a.csv'),
      1,
    );
    const [, where, ...commands] =
      /are in (.*); repair needs local files: copy s3:.*a\.csv\.rejects and s3:\/\/bucket\/out\/a\.csv here, .*:\n {2}rowcast (.*)\n {2}rowcast (.*)\n/.exec(
        stderr,
      ) ?? [];
    assert.equal(where, 's3://bucket/out/a.csv.rejects', stderr);
    const rejects = textOf('/out/a.csv.rejects') ?? '';
    await writeFile(join(folder, 'a.csv'), textOf('/out/a.csv') ?? '');
    await writeFile(join(folder, 'a.csv.rejects'), rejects.replace('only-one', csv(4).split('\n')[3] ?? ''));
    const [score = '', repair = ''] = commands;
    await exits(rowcast(...score.split(' ')), 0);
    // The corrections may have been scored to a store, of which the machine knows nothing.
    const { AWS_ENDPOINT_URL_S3: endpoint = '', ...own } = env;
    service.put('/corrected.csv', await readFile(join(folder, 'a.csv.corrected')));
    const stored = repair.replace(/\S+\.corrected/, 's3://bucket/corrected.csv');
    const options = ['--store-options', `endpoint=${endpoint}`];
    await exits(rowcastHere([...stored.split(' '), ...options], { cwd: folder, env: own }), 0);
    assert.equal((await readFile(join(folder, 'a.csv'), 'utf8')).split('\n').length, 7);
  });

  it('says that it tries again while a store is unavailable', async t => {
    const { rowcast, service } = await bench(t, { '/in/a.csv': csv(3) });
    let refused = 0;
    service.hooks.refuse = ({ text }) =>
      text === 'GET /in/a.csv' && refused++ === 0 ? [503, 'SlowDown'] : undefined;
    await exits(
      rowcast('score', 's3://bucket/in/a.csv', ...report, '-o', 'out.csv'),
      0,
      /s3:\/\/bucket\/in\/a\.csv: .*SlowDown; will keep trying for up to .* \(--max-outage\)/,
    );
  });

  it('ends at once with a signal, although the store of its output is unavailable', async t => {
    const { env, folder, service } = await bench(t);
    await writeFile(join(folder, 'in.csv'), csv(3));
    let isDown = false;
    const requests = new EventEmitter();
    const isRefused = once(requests, 'refused');
    service.hooks.refuse = ({ text }) => {
      isDown ||= text.startsWith('POST /out.csv');
      if (isDown) requests.emit('refused');
      return isDown ? [503, 'SlowDown'] : undefined;
    };
    const words = ['score', 'in.csv', ...report, '-o', 's3://bucket/out.csv', '--max-outage', '10m'];
    const { child, finished } = startRowcast([...words, '--summary', 's.json'], { cwd: folder, env });
    await isRefused;
    child.kill('SIGTERM');
    const { code, signal, stderr } = await finished;
    assert.ok(code === 143 || signal === 'SIGTERM', `${code} ${signal}: ${stderr}`);
    assert.equal(JSON.parse(await readFile(join(folder, 's.json'), 'utf8')).exit_code, 143);
  });

  it('scores those that match a pattern, and skips them when nothing has changed', async t => {
    const { rowcast, textOf, service } = await bench(t, {
      '/in/a.csv': csv(3),
      '/in/b.csv.gz': gzipSync(csv(4)),
      '/in/eu/c.csv': csv(5),
      '/in/no.txt': 'no',
    });
    const all = ['score', 's3://bucket/in/**/*.csv*', ...report, '-o', 's3://bucket/out/{dir}/{name}.csv'];
    await exits(rowcast(...all), 0);
    const outputs = ['/out/a.csv', '/out/b.csv', '/out/eu/c.csv'];
    assert.deepEqual(
      outputs.map(key => textOf(key)?.split('\n').length),
      [5, 6, 7],
    );
    const { size } = service.objects;
    assert.match((await rowcast(...all)).stderr, /3 files? .*(skipped|unchanged)|nothing|unchanged/);
    service.put('/in/eu/c.csv', Buffer.from(csv(6)));
    await exits(rowcast(...all), 0);
    assert.equal(textOf('/out/eu/c.csv')?.split('\n').length, 8);
    assert.equal(service.objects.size, size);
    const verified = await rowcast('verify', 's3://bucket/in/**/*.csv*', 's3://bucket/out/{dir}/{name}.csv');
    assert.match(verified.stderr, /3 files: 3 match; 13 rows/);
    for (const pattern of ['s3://bucket/out/{dir}/{name}.csv', 's3://bucket/out/**/*.csv']) {
      const status = await rowcast('status', pattern);
      assert.match(status.stdout.toString(), /: 3 runs: 3 finished\n$/, pattern);
    }
    const none = await rowcast('score', 's3://bucket/in/*.tsv', ...report, '-o', 's3://bucket/{name}.csv');
    assert.match(none.stderr, /s3:\/\/bucket\/in\/\*\.tsv: no file matches the pattern \[no_such_file\]/);
  });

  slow('takes a key that exists for no pattern', async t => {
    const { rowcast, textOf } = await bench(t, { '/in/*.csv': csv(1), '/in/a.csv': csv(2) });
    await exits(rowcast('score', 's3://bucket/in/*.csv', ...report, '-o', 's3://bucket/out.csv'), 0);
    assert.equal(textOf('/out.csv')?.split('\n').length, 3);
  });

  it('reads a URL that is a secret from a variable, and shows it nowhere', async t => {
    const { rowcast, folder, env } = await bench(t);
    const server = await fileServer(t, { '/in.csv': Buffer.from(csv(7)) });
    env.ROWCAST_INPUT = `${server.url('/in.csv')}?sig=SECRET`;
    const args = ['score', '--input-env', 'ROWCAST_INPUT', ...report, '-o', 'out.csv', '--summary', 's.json'];
    const { stderr } = await exits(rowcast(...args), 0);
    const summary = await readFile(join(folder, 's.json'), 'utf8');
    assert.equal(JSON.parse(summary).input, server.url('/in.csv'));
    assert.doesNotMatch(stderr + summary, /SECRET/);
    await exits(rowcast('score', env.ROWCAST_INPUT, ...report, '-o', 'out.csv'), 2, /may hold a secret/);
    for (const name of ['HOME', 'ROWCAST_API_KEY', 'ROWCAST_NONE'])
      assert.equal((await rowcast('score', '--input-env', name, ...report)).code, 2, name);
  });

  slow('trains with an object', async t => {
    const { folder, env } = await bench(t, {
      '/history.csv': `plan,out\n${'a,yes\nb,no\n'.repeat(60)}`,
    });
    const home = join(folder, 'home');
    const train = ['train', 's3://bucket/history.csv', '--predict', 'out', '--report', 'h', '--home', home];
    // Training has threads, which have the environment of their process.
    await exits(startedRowcast(train, { env }), 0);
    // The same without a configuration of the machine.
    const { AWS_ENDPOINT_URL_S3: endpoint, ...own } = env;
    const options = ['--store-options', `endpoint=${endpoint},region=eu-west-1`, '--if-exists', 'replace'];
    await exits(startedRowcast([...train, ...options], { env: own }), 0);
  });

  it('sends no credentials of its own to an endpoint that only a definition names', async t => {
    const { rowcast, folder, service } = await bench(t, { '/in/a.csv': csv(3) });
    const definition = (more: string): string =>
      `score: { input: s3://bucket/in/a.csv, output: out.csv, report: r, store-options: { endpoint: '${service.endpoint}'${more} } }\n`;
    await writeFile(join(folder, 'd.yaml'), definition(''));
    const given = ['s3://bucket/in/a.csv', 'out.csv', '--definition', 'd.yaml'];
    const train = `train: { history: a.csv, predict: amount, report: t, store-options: { endpoint: '${service.endpoint}' } }\nscore: { input: a.csv, output: b.csv, report: t }\n`;
    await writeFile(join(folder, 'train.yaml'), train);
    let asked = 0;
    service.hooks.before = () => {
      asked++;
    };
    for (const args of [
      ['run', 'd.yaml', '--set', 'score.input=s3://bucket/in/a.csv'],
      ['verify', ...given],
      ['run', 'train.yaml', '--home', 'home'],
    ]) {
      await exits(
        rowcast(...args),
        2,
        /store-options\.endpoint: the definition would send requests for stores to http:.*untrusted_definition/,
      );
    }
    assert.equal(asked, 0);
    const endpoint = ['--store-options', `endpoint=${service.endpoint}`];
    const input = ['--set', 'score.input=s3://bucket/in/a.csv'];
    assert.equal((await rowcast('run', 'd.yaml', ...input, ...endpoint)).code, 0);
    await writeFile(join(folder, 'd.yaml'), definition(', unsigned: "true"'));
    await exits(rowcast('run', 'd.yaml', ...input, '--restart'), 0);
  });
});
