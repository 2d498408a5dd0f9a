import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { RunValues } from '../../../src/base/options/values/run-values.ts';
import type { ServiceClient } from '../../../src/client/service-client.ts';
import type { RunResult } from '../../../src/runs/observer.ts';
import { rejectSome } from '../../crash/unscorable.ts';
import { linesOf, rowsOf, SENT } from '../../crash/variants.ts';
import { newFolder } from '../folder.ts';
import { parquetOf } from '../parquet.ts';
import { job } from '../scoring/job.ts';
import { score } from '../scoring/score.ts';
import { connect } from '../stub/connect.ts';
import type { Stub } from '../stub/service.ts';
import { type StoreOfTest, withObjectStore } from './object-backend.ts';
import { type ObjectService, startObjectService } from './object-service.ts';

/** An input with rejects, what scores it, and an object service. */
export interface StoreBench {
  service: ObjectService;
  client: ServiceClient;
  stub: Stub;
  folder: string;
  options: Pick<RunValues, 'input' | 'features' | 'batchRows' | 'checkpointInterval' | 'groupRows'>;
  /** The files of a run to a local output, by their suffix: '' and '.rejects'. */
  wanted(name: string): Promise<Map<string, Buffer>>;
  /** Scores into an object. */
  run(key: string, how?: RunInStore): Promise<RunResult | undefined>;
  /** The objects whose keys begin with that of the output, by the rest of their keys. */
  written(key: string): Map<string, Buffer>;
}

export interface RunInStore {
  /** Of the URL of the output; by default `s3`. */
  scheme?: string;
  store?: StoreOfTest;
  stop?: AbortSignal;
  values?: Partial<RunValues>;
}

const GROUP_ROWS = 100;

function inputOf(format: 'csv' | 'jsonl' | 'parquet', rows: number): Promise<Buffer> | Buffer {
  // No row of Parquet is malformed.
  if (format === 'parquet') return parquetOf(rowsOf({ words: 40 }, rows), { groupRows: GROUP_ROWS });
  return (format === 'csv' ? rowsOf : linesOf)({ hasRejects: true, words: 170 }, rows);
}

/** @param format of the input; Parquet is in the store, because it is read in ranges */
export async function storeBench(
  t: TestContext,
  rows = 500,
  format: 'csv' | 'jsonl' | 'parquet' = 'csv',
): Promise<StoreBench> {
  const folder = await newFolder(t);
  const path = join(folder, `in.${format}`);
  await writeFile(path, await inputOf(format, rows));
  const { stub, client } = await connect(t, {
    report: { classes: ['no', 'yes'] },
    behave(call) {
      rejectSome(call);
      return true;
    },
  });
  const service = await startObjectService(t);
  if (format === 'parquet') service.put('/in.parquet', await readFile(path));
  const input = format === 'parquet' ? service.nameOf('/in.parquet') : path;
  const options = {
    groupRows: GROUP_ROWS,
    input,
    features: SENT.split(','),
    batchRows: 100,
    checkpointInterval: 0,
  };
  return {
    service,
    client,
    stub,
    folder,
    options,
    async wanted(name) {
      const output = join(folder, name);
      await score(job({ ...options, input: path, output }), client);
      return new Map([
        ['', await readFile(output)],
        ['.rejects', await readFile(`${output}.rejects`)],
      ]);
    },
    run(key, { scheme = 's3', store, stop, values } = {}) {
      const output = service.nameOf(key).replace('s3:', `${scheme}:`);
      const backends = withObjectStore(service.endpoint, store);
      return score(job({ ...options, output, ...values }), client, { ...(stop && { stop }) }, { backends });
    },
    written: key =>
      new Map(
        [...service.objects]
          .filter(([own]) => own.startsWith(key))
          .map(([own, { bytes }]) => [own.slice(key.length), bytes]),
      ),
  };
}

/** Another run is refused when this one makes its upload, which goes on after that. */
export async function refusedMeanwhile(
  { service, run }: StoreBench,
  key: string,
  other: string,
  how: RunInStore = {},
): Promise<void> {
  let second: Promise<void> | undefined;
  service.hooks.before = ({ text }) => {
    if (text !== `POST ${key}?uploads`) return undefined;
    second ??= assert.rejects(run(other, { ...how, store: { client: 'second' } }), { code: 'locked' });
    return second;
  };
  await run(key, how);
  assert.ok(second);
  await second;
}
