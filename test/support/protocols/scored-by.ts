import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, mock, type TestContext } from 'node:test';
import type { RowcastError } from '../../../src/base/errors.ts';
import type { RunValues } from '../../../src/base/options/values/run-values.ts';
import type { Protocol } from '../../../src/client/protocols/protocol.ts';
import { ServiceClient, type ServiceClientOptions } from '../../../src/client/service-client.ts';
import type { RunResult } from '../../../src/runs/observer.ts';
import type { Summary } from '../../../src/runs/summary/summary.ts';
import { newFolder } from '../folder.ts';
import { job } from '../scoring/job.ts';
import { score } from '../scoring/score.ts';
import { assertScored } from '../scoring/scored.ts';
import { key } from '../secrets.ts';
import { type Behave, type Dialect, type ModelServer, startModelServer } from './model-server.ts';

/** A protocol as the client knows it, and as a server speaks it. */
export interface Spoken {
  protocol: Protocol;
  dialect: Dialect;
}

/** Names with quotes and line breaks, empty fields, blank lines, and line endings of both kinds. */
const rows = Array.from({ length: 300 }, (_, id) =>
  id % 7 === 3 ? `${id},"a ""b""\n${id}",\r\n` : `${id},text ${id},${id / 8}\n`,
);
const input = Buffer.from(`id,text,"amount"\n${rows.join('')}`);

/** What came of a run. */
interface Scored {
  output: Buffer;
  rejects: string;
  result: RunResult | undefined;
  summary: Summary | undefined;
  failure: RowcastError | undefined;
  retries: Record<string, number>;
}

export type Outcome = Scored & ModelServer;

interface ScoreOptions extends Partial<RunValues> {
  folder?: string;
  /** The input; by default 300 rows. */
  text?: string | Buffer;
  client?: Partial<ServiceClientOptions>;
}

/** A client of a server without a model; both are closed when the test ends. */
export async function connectServer(
  t: TestContext,
  { protocol, dialect }: Spoken,
  behave?: Behave,
  options: Partial<ServiceClientOptions> = {},
): Promise<ModelServer & { client: ServiceClient }> {
  const server = await startModelServer(t, dialect, behave);
  const url = new URL(server.url);
  const usual = { url, key, name: 'model-server', concurrency: 3, maxOutage: 600, protocol };
  const client = new ServiceClient({ ...usual, ...options });
  t.after(() => client.close());
  return { ...server, client };
}

/** Scores rows, at most 25 in a request. */
export async function scoreWith(
  t: TestContext,
  spoken: Spoken,
  behave?: Behave,
  { folder, text = input, client: options, ...values }: ScoreOptions = {},
): Promise<Outcome> {
  const { client, ...server } = await connectServer(t, spoken, behave, options);
  return { ...server, ...(await scoreRows(folder ?? (await newFolder(t)), client, values, text)) };
}

export async function scoreRows(
  folder: string,
  client: ServiceClient,
  values: Partial<RunValues> = {},
  text: string | Buffer = input,
): Promise<Scored> {
  const paths = { input: join(folder, 'in.csv'), output: join(folder, 'out.csv') };
  await writeFile(paths.input, text);
  let failure: RowcastError | undefined;
  let summary: Summary | undefined;
  const options = job({ ...paths, batchRows: 25, classes: ['no', 'yes'], ...values });
  const result = await score(options, client, {
    async ended(end) {
      summary = end;
    },
  }).catch(error => {
    failure = error;
    return undefined;
  });
  const output = await readFile(paths.output).catch(() => Buffer.alloc(0));
  const rejects = await readFile(`${paths.output}.rejects`, 'utf8').catch(() => '');
  const retries = Object.fromEntries(client.statistics.retries);
  return { output, rejects, result, summary, failure, retries };
}

/** Asserts that all rows were scored, each with its own probabilities. */
export function assertComplete({ failure, output }: Scored): void {
  assert.equal(failure, undefined);
  assertScored(output, input);
}

/** Shortens the waits between attempts, which are up to half a minute long, in the tests of a suite. */
export function withShortWaits(): void {
  const random = Math.random;
  before(() => {
    mock.method(Math, 'random', () => random() / 50);
  });
  after(() => mock.restoreAll());
}

/** Replaces the predictions of a usual response, which are the member at a path. */
export const within =
  (path: readonly string[]) =>
  (usual: string, change: (predictions: unknown[]) => unknown[]): string => {
    const whole = JSON.parse(usual);
    if (path.length === 0) return JSON.stringify(change(whole));
    const holder = path.slice(0, -1).reduce((value, name) => value[name], whole);
    const last = path.at(-1) ?? '';
    holder[last] = change(holder[last]);
    return JSON.stringify(whole);
  };
