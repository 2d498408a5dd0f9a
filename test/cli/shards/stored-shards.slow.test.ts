import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it, type TestContext } from 'node:test';
import { commandsIn } from '../../support/cli/commands.ts';
import { exits } from '../../support/in-process.ts';
import { startObjectService } from '../../support/object-store/object-service.ts';
import { trainedHome } from '../../support/service/serving.ts';
import { hardCsv } from '../../support/shards/hard-csv.ts';
import { slow } from '../../support/slow.ts';

const report = '--allow-missing --report one';
const input = `s3://bucket/in.csv ${report} -o s3://bucket/out.csv`;

/** @param bytes of the input, which is both a file and an object */
async function bench(t: TestContext, bytes: number) {
  const service = await startObjectService(t);
  const text = hardCsv(bytes);
  service.put('/in.csv', Buffer.from(text));
  const env = {
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    ROWCAST_HOME: await trainedHome(),
  };
  const commands = await commandsIn(t, { 'in.csv': text }, env);
  const { read } = commands;
  return {
    ...commands,
    service,
    run: (code: number, line: string, ...says: readonly RegExp[]) =>
      exits(commands.run(`${line} --store-options endpoint=${service.endpoint}`), code, ...says),
    /** The output and rejects of one process, which reads and writes files. */
    async wanted(): Promise<[string, string]> {
      await exits(commands.run(`score in.csv ${report} -o one.csv`), 1);
      return [await read('one.csv'), await read('one.csv.rejects')];
    },
    /** Those of an object. */
    stored: () => ['/out.csv', '/out.csv.rejects'].map(key => service.objects.get(key)?.bytes.toString()),
    assertOnlyOutputs(): void {
      assert.deepEqual([...service.objects.keys()].sort(), ['/in.csv', '/out.csv', '/out.csv.rejects']);
      assert.deepEqual(service.uploads(), []);
    },
  };
}

describe('a run in shards whose files are objects', () => {
  it('of --workers has the bytes of one process, and leaves nothing else', async t => {
    const { service, run, wanted, stored, assertOnlyOutputs } = await bench(t, 1_200_000);
    await run(1, `score ${input} --workers 2 --shard-bytes 1MiB --checksum`);
    assert.deepEqual(stored(), await wanted());
    assertOnlyOutputs();
    assert.equal(service.copied.size, 0, 'the parts are too small to be copied');
  });

  slow('may be that of a definition, which says how its store is reached', async t => {
    const { service, path, write, wanted, stored } = await bench(t, 1_200_000);
    const stores = `{ endpoint: '${service.endpoint}', profile: p }`;
    await write(
      'd.yaml',
      `score: { input: s3://bucket/in.csv, output: s3://bucket/out.csv, report: one, allow-missing: true, workers: 2, shard-bytes: 1MiB, store-options: ${stores} }\n`,
    );
    await write('aws', '[p]\naws_access_key_id = test\naws_secret_access_key = test\n');
    const given = { ROWCAST_HOME: await trainedHome(), AWS_SHARED_CREDENTIALS_FILE: path('aws') };
    const { run } = await commandsIn(t, {}, given);
    await exits(run(`run ${path('d.yaml')} --trust-definition`), 1);
    assert.deepEqual(stored(), await wanted());
  });

  slow('is joined by the store, if its parts are large enough', async t => {
    const { service, run, wanted, stored, assertOnlyOutputs } = await bench(t, 13_000_000);
    const folder = 's3://bucket/shared/run';
    const expected = await wanted();
    for (const wantsEvenParts of [false, true]) {
      Object.assign(service.hooks, { wantsEvenParts });
      const { stdout } = await run(0, `plan ${input} --shard-bytes 6MiB --shards ${folder}/`);
      assert.match(stdout, /s3:\/\/bucket\/in\.csv: 3 shards/);
      assert.match(stdout, /rowcast work s3:\/\/bucket\/shared\/run --store-options endpoint=http/);
      await run(0, `work ${folder}`);
      assert.match((await run(3, `status ${folder}`)).stdout, /all shards are done/);
      let reads = 0;
      service.hooks.before = ({ text }) => {
        if (/^GET .*parts\/\d+\.1\.csv$/.test(text)) reads++;
      };
      await run(1, `assemble ${folder}`);
      delete service.hooks.before;
      // Parts pass through this machine only if the store copies none.
      assert.equal(reads > 0, wantsEvenParts);
      assert.equal(service.copied.size, 3);
      assert.deepEqual(stored(), expected);
      assertOnlyOutputs();
    }
  });

  for (const [folder, output] of [
    ['shared', 's3://bucket/out.csv'],
    ['s3://bucket/shared', 'out.csv'],
  ] as const)
    slow(`may have its folder at ${folder} and its output at ${output}`, async t => {
      const { service, path, read, run, wanted, stored } = await bench(t, 2_200_000);
      const options = `${report} -o ${output} --shard-bytes 1MiB`;
      await run(0, `plan s3://bucket/in.csv ${options} --shards ${folder}`);
      await run(0, `work ${folder}`);
      await run(1, `assemble ${folder}`);
      const written =
        output === 'out.csv' ? [await read('out.csv'), await read('out.csv.rejects')] : stored();
      assert.deepEqual(written, await wanted());
      assert.equal(existsSync(path('shared')), false);
      assert.ok(![...service.objects.keys()].some(key => key.startsWith('/shared')));
    });

  slow('is cancelled, resumed, and discarded', async t => {
    const { service, run } = await bench(t, 2_200_000);
    const [plan, folder] = [
      `plan ${input} --shard-bytes 1MiB --shards s3://bucket/shared`,
      's3://bucket/shared',
    ];
    await run(0, plan);
    await run(0, `cancel ${folder}`);
    await run(3, `work ${folder}`, /the run was cancelled/);
    await run(0, plan);
    await run(0, `work ${folder} --shard 1`);
    await run(75, `assemble ${folder}`, /not finished/);
    service.put('/in.csv', Buffer.from(hardCsv(2_200_001)));
    await run(3, `work ${folder}`, /is not the one that was planned/);
    await run(0, `abort ${folder}`);
    assert.deepEqual([...service.objects.keys()], ['/in.csv']);
    assert.deepEqual(service.uploads(), []);
  });
});
