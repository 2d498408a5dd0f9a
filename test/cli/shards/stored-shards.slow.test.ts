import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { newFolder } from '../../support/folder.ts';
import { type ObjectService, startObjectService } from '../../support/object-store/object-service.ts';
import { exits, rowcast } from '../../support/rowcast.ts';
import { trainedHome } from '../../support/service/serving.ts';
import { hardCsv } from '../../support/shards/hard-csv.ts';
import { slow } from '../../support/slow.ts';

interface Bench {
  service: ObjectService;
  cwd: string;
  env: Record<string, string>;
  run(code: number, ...args: string[]): Promise<{ stdout: string; stderr: string }>;
  /** The output and rejects of one process, which reads and writes files. */
  wanted(): Promise<[string, string]>;
  /** Those of an object. */
  stored(key: string): [string | undefined, string | undefined];
}

/** @param bytes of the input, which is both a file and an object */
async function bench(t: TestContext, bytes: number): Promise<Bench> {
  const service = await startObjectService(t);
  const text = hardCsv(bytes);
  const cwd = await newFolder(t, { 'in.csv': text });
  service.put('/in.csv', Buffer.from(text));
  const env = {
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    ROWCAST_HOME: await trainedHome(),
  };
  const run = async (code: number, ...args: string[]) => {
    const { code: ended, stderr, stdout } = await rowcast(args, { cwd, env });
    assert.equal(ended, code, stderr);
    return { stderr, stdout: stdout.toString() };
  };
  return {
    service,
    cwd,
    env,
    run: (code, ...args) => run(code, ...args, '--store-options', `endpoint=${service.endpoint}`),
    async wanted() {
      await run(1, 'score', 'in.csv', ...report, '-o', 'one.csv');
      return [
        await readFile(join(cwd, 'one.csv'), 'utf8'),
        await readFile(join(cwd, 'one.csv.rejects'), 'utf8'),
      ];
    },
    stored: key => [
      service.objects.get(key)?.bytes.toString(),
      service.objects.get(`${key}.rejects`)?.bytes.toString(),
    ],
  };
}

const report = ['--allow-missing', '--report', 'one'];

describe('a run in shards whose files are objects', () => {
  it('of --workers has the bytes of one process, and leaves nothing else', async t => {
    const { service, run, wanted, stored } = await bench(t, 1_200_000);
    const score = ['score', 's3://bucket/in.csv', ...report, '-o', 's3://bucket/out.csv'];
    await run(1, ...score, '--workers', '2', '--shard-bytes', '1MiB', '--checksum');
    assert.deepEqual(stored('/out.csv'), await wanted());
    assert.deepEqual([...service.objects.keys()].sort(), ['/in.csv', '/out.csv', '/out.csv.rejects']);
    assert.deepEqual(service.uploads(), []);
    assert.equal(service.copied.size, 0, 'the parts are too small to be copied');
  });

  slow('may be that of a definition, which says how its store is reached', async t => {
    const { service, cwd, env, wanted, stored } = await bench(t, 1_200_000);
    const stores = `{ endpoint: '${service.endpoint}', profile: p }`;
    await writeFile(
      join(cwd, 'd.yaml'),
      `score: { input: s3://bucket/in.csv, output: s3://bucket/out.csv, report: one, allow-missing: true, workers: 2, shard-bytes: 1MiB, store-options: ${stores} }\n`,
    );
    await writeFile(join(cwd, 'aws'), '[p]\naws_access_key_id = test\naws_secret_access_key = test\n');
    await exits(
      rowcast(['run', 'd.yaml', '--trust-definition'], {
        cwd,
        env: { ...env, AWS_SHARED_CREDENTIALS_FILE: join(cwd, 'aws') },
      }),
      1,
    );
    assert.deepEqual(stored('/out.csv'), await wanted());
  });

  slow('is joined by the store, if its parts are large enough', async t => {
    const { service, run, wanted, stored } = await bench(t, 13_000_000);
    const input = ['s3://bucket/in.csv', ...report, '-o', 's3://bucket/out.csv', '--shard-bytes', '6MiB'];
    for (const wantsEvenParts of [false, true]) {
      Object.assign(service.hooks, { wantsEvenParts });
      const { stdout } = await run(0, 'plan', ...input, '--shards', 's3://bucket/shared/run/');
      assert.match(stdout, /s3:\/\/bucket\/in\.csv: 3 shards/);
      assert.match(stdout, /rowcast work s3:\/\/bucket\/shared\/run --store-options endpoint=http/);
      await run(0, 'work', 's3://bucket/shared/run');
      assert.match((await run(3, 'status', 's3://bucket/shared/run')).stdout, /all shards are done/);
      let reads = 0;
      service.hooks.before = ({ text }) => {
        if (/^GET .*parts\/\d+\.1\.csv$/.test(text)) reads++;
      };
      await run(1, 'assemble', 's3://bucket/shared/run');
      delete service.hooks.before;
      assert.equal(
        reads > 0,
        wantsEvenParts,
        'parts pass through this machine only if the store copies none',
      );
      assert.equal(service.copied.size, 3);
      assert.deepEqual(stored('/out.csv'), await wanted());
      assert.deepEqual([...service.objects.keys()].sort(), ['/in.csv', '/out.csv', '/out.csv.rejects']);
      assert.deepEqual(service.uploads(), []);
    }
  });

  for (const [folder, output] of [
    ['shared', 's3://bucket/out.csv'],
    ['s3://bucket/shared', 'out.csv'],
  ] as const)
    slow(`may have its folder at ${folder} and its output at ${output}`, async t => {
      const { service, cwd, run, wanted, stored } = await bench(t, 2_200_000);
      const input = ['s3://bucket/in.csv', ...report, '-o', output, '--shard-bytes', '1MiB'];
      await run(0, 'plan', ...input, '--shards', folder);
      await run(0, 'work', folder);
      await run(1, 'assemble', folder);
      const files = ['out.csv', 'out.csv.rejects'].map(name => join(cwd, name));
      const written =
        output === 'out.csv'
          ? await Promise.all(files.map(file => readFile(file, 'utf8')))
          : stored('/out.csv');
      assert.deepEqual(written, await wanted());
      assert.equal(existsSync(join(cwd, 'shared')), false);
      assert.deepEqual(
        [...service.objects.keys()].filter(key => key.startsWith('/shared')),
        [],
      );
    });

  slow('is cancelled, resumed, and discarded', async t => {
    const { service, run } = await bench(t, 2_200_000);
    const input = ['s3://bucket/in.csv', ...report, '-o', 's3://bucket/out.csv', '--shard-bytes', '1MiB'];
    const plan = ['plan', ...input, '--shards', 's3://bucket/shared'];
    await run(0, ...plan);
    await run(0, 'cancel', 's3://bucket/shared');
    assert.match((await run(3, 'work', 's3://bucket/shared')).stderr, /the run was cancelled/);
    await run(0, ...plan);
    await run(0, 'work', 's3://bucket/shared', '--shard', '1');
    assert.match((await run(75, 'assemble', 's3://bucket/shared')).stderr, /not finished/);
    service.put('/in.csv', Buffer.from(hardCsv(2_200_001)));
    assert.match((await run(3, 'work', 's3://bucket/shared')).stderr, /is not the one that was planned/);
    await run(0, 'abort', 's3://bucket/shared');
    assert.deepEqual([...service.objects.keys()], ['/in.csv']);
    assert.deepEqual(service.uploads(), []);
  });
});
