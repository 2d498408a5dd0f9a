import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { random as randomOf } from '../../../fixtures/random.ts';
import { newFolder } from '../../support/folder.ts';
import { isFull, seed } from '../../support/random-tests.ts';
import { exits, rowcast } from '../../support/rowcast.ts';
import { trainedHome } from '../../support/service/serving.ts';
import { noAzurite, startAzurite } from '../../support/stores/azurite.ts';
import { faults, startFaultyProxy } from '../../support/stores/faulty-proxy.ts';
import { getObject, putObject } from '../../support/stores/objects.ts';
import type { RealStore } from '../../support/stores/real-store.ts';
import { noSeaweed, startSeaweed } from '../../support/stores/seaweed.ts';
import { manyRows } from '../many-rows.ts';

const ROWS = 300_000;
/** The share of requests to which something happens. */
const SHARE = 0.25;
/** STORE_FAULTS=20 makes more. */
const RUNS = Number(process.env.STORE_FAULTS ?? (isFull ? 3 : 1));

/**
 * Scores through a proxy that damages requests and responses, and compares the objects with those of an undisturbed
 * run.
 */
async function scoreThrough(
  t: TestContext,
  store: RealStore,
  through: (proxy: string) => Record<string, string>,
  endpoint: string,
): Promise<void> {
  const folder = await newFolder(t, { 'in.csv': manyRows(ROWS) });
  Object.assign(process.env, store.env);
  const file = join(folder, 'in.csv');
  const input = `${store.url}/in.csv`;
  await putObject(input, await readFile(file));
  const argsOf = (output: string): string[] => {
    const pace = ['--checkpoint-interval', '100ms', '--part-bytes', '5MiB', '--max-outage', '1m'];
    return ['score', input, '--report', 'one', '-o', output, ...pace];
  };
  const local = join(folder, 'out.csv');
  const env = { ROWCAST_HOME: await trainedHome(), ...store.env };
  await exits(rowcast(argsOf(local), { env }), 1);
  for (let run = 0; run < RUNS; run++) {
    const random = randomOf(seed + run);
    const proxy = await startFaultyProxy(t, endpoint, () =>
      random.unit() < SHARE ? random.pick(faults) : undefined,
    );
    const output = `${store.url}/${run}/out.csv`;
    const running = rowcast(argsOf(output), { env: { ...env, ...through(proxy.url) } });
    await exits(running, 1).finally(() => t.diagnostic(JSON.stringify([...proxy.counts])));
    for (const suffix of ['', '.rejects'])
      assertSame(
        (await getObject(output + suffix)) ?? Buffer.alloc(0),
        await readFile(local + suffix),
        output + suffix,
      );
  }
}

/** Its message has no content: that of large files takes all memory. */
function assertSame(actual: Buffer, expected: Buffer, name: string): void {
  if (actual.equals(expected)) return;
  const at = actual.findIndex((byte, index) => byte !== expected[index]);
  assert.fail(`${name}: ${actual.length} and ${expected.length} bytes, which differ at ${at}`);
}

describe('a run through a network that cuts, loses and damages what passes', () => {
  it('has the bytes of an undisturbed run in SeaweedFS', { skip: noSeaweed }, async t => {
    const store = await startSeaweed(t);
    const { AWS_ENDPOINT_URL_S3: endpoint = '' } = store.env;
    await scoreThrough(t, store, proxy => ({ AWS_ENDPOINT_URL_S3: proxy }), endpoint);
  });

  it('has the bytes of an undisturbed run in Azurite', { skip: noAzurite }, async t => {
    const store = await startAzurite(t);
    const { AZURE_STORAGE_CONNECTION_STRING: text = '' } = store.env;
    const [, endpoint = ''] = /BlobEndpoint=(http:\/\/[^/]*)/.exec(text) ?? [];
    await scoreThrough(
      t,
      store,
      proxy => ({ AZURE_STORAGE_CONNECTION_STRING: text.replace(endpoint, proxy) }),
      endpoint,
    );
  });
});
