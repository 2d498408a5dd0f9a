import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { RunValues } from '../../../src/base/options/values/run-values.ts';
import type { ServiceClient } from '../../../src/client/service-client.ts';
import type { RunResult } from '../../../src/runs/run-result.ts';
import { rejectSome } from '../../crash/unscorable.ts';
import { linesOf, rowsOf, SENT } from '../../crash/variants.ts';
import { newFolder } from '../folder.ts';
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
  options: Pick<RunValues, 'input' | 'features' | 'batchRows' | 'checkpointInterval'>;
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

/** @param format of the input */
export async function storeBench(
  t: TestContext,
  rows = 500,
  format: 'csv' | 'jsonl' = 'csv',
): Promise<StoreBench> {
  const folder = await newFolder(t);
  const input = join(folder, `in.${format}`);
  const rowsAs = format === 'csv' ? rowsOf : linesOf;
  await writeFile(input, rowsAs({ hasRejects: true, words: 170 }, rows));
  const { stub, client } = await connect(t, {
    report: { classes: ['no', 'yes'] },
    behave(call) {
      rejectSome(call);
      return true;
    },
  });
  const service = await startObjectService();
  t.after(() => service.close());
  const options = { input, features: SENT.split(','), batchRows: 100, checkpointInterval: 0 };
  return {
    service,
    client,
    stub,
    folder,
    options,
    async wanted(name) {
      const output = join(folder, name);
      await score(job({ ...options, output }), client);
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
