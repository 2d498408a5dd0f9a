import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Random } from '../../../fixtures/random.ts';
import { root } from '../../support/root.ts';
import { type RunOptions, rowcast } from '../../support/rowcast.ts';
import { type Stub, startStub } from '../../support/stub/service.ts';
import { rejectSome } from '../unscorable.ts';
import { BATCH_ROWS, ROWS, SENT, type Variant } from '../variants.ts';
import type { Moment } from './moment.ts';
import { VaryingService } from './varying.ts';

/** A variant in its own folder, with its own service. */
export interface Job {
  variant: Variant;
  /** The bytes of the input. */
  bytes: Buffer;
  folder: string;
  input: string;
  output: string;
  summary: string;
  stub: Stub;
  /** Milliseconds from the first request to the end of an uninterrupted run. */
  scoringMs: number;
  /** Requests of such a run. */
  calls: number;
  /** Bytes of the earlier output; 0 without one. */
  earlierBytes: number;
  /** Called for each request; the response is sent when the returned promise settles. */
  onCall: ((ids: readonly unknown[]) => Promise<void> | void) | undefined;
  service: VaryingService;
}

/** The output of an earlier run, and the file beside it. */
const EARLIER = 'earlier.csv';
export const earlierFiles = [EARLIER, `${EARLIER}.reuse`];

export async function prepare(variant: Variant, folder: string, random: Random): Promise<Job> {
  const usual = variant.output.startsWith('out.jsonl') ? 'in.jsonl' : 'in.csv';
  const input = join(folder, variant.inputName ?? usual);
  const bytes = variant.input();
  await writeFile(input, bytes);
  const stub = await startStub(undefined, {
    ...(variant.report && { report: variant.report }),
    async behave(call) {
      await job.onCall?.(call.body.personas.map(({ features }) => features.id));
      if (variant.isVarying) job.service.vary(call);
      await delay(random.whole(0, 4));
      if (variant.hasRejects) rejectSome(call);
      return variant.hasRejects ?? false;
    },
  });
  const job: Job = {
    variant,
    bytes,
    folder,
    input,
    stub,
    service: new VaryingService(),
    output: join(folder, variant.output),
    summary: join(folder, 'summary.json'),
    scoringMs: 0,
    calls: 0,
    earlierBytes: 0,
    onCall: undefined,
  };
  if (variant.earlier !== undefined) {
    const before = join(folder, 'before.csv');
    await writeFile(before, variant.earlier());
    const args = ['score', before, '-o', join(folder, EARLIER), '--report', 'r', '--features', SENT];
    args.push('--url', stub.url, '--reuse', 'none');
    await rowcast(args, { env: { ROWCAST_API_KEY: stub.key } });
    job.earlierBytes = (await stat(join(folder, EARLIER))).size;
    await Promise.all([before, join(folder, `${EARLIER}.rejects`)].map(path => rm(path, { force: true })));
  }
  return job;
}

/** The command, the same at each start, and its stdin, which may end too early. */
export function commandOf(
  { variant, bytes, folder, input, output, summary, stub }: Job,
  { failingSync, truncated, readingAt }: Pick<Moment, 'failingSync' | 'truncated' | 'readingAt'> = {},
): [string[], RunOptions] {
  const args = ['score', variant.isPiped ? '-' : input, '--report', 'r', '-o', output, '--url', stub.url];
  args.push('--features', SENT, '--checkpoint-interval', '0', '--batch-rows', String(BATCH_ROWS));
  if (variant.earlier !== undefined) args.push('--reuse', join(folder, EARLIER));
  args.push('--summary', summary, ...(variant.options ?? []));
  const env = {
    ROWCAST_API_KEY: stub.key,
    ...(failingSync && { NODE_OPTIONS: `--import ${failingSyncs}`, FAILING_SYNC: String(failingSync) }),
    ...(readingAt !== undefined && {
      NODE_OPTIONS: `--import ${waitingReads}`,
      WAITING_READ: JSON.stringify([join(folder, EARLIER), readingAt, waitsIn(folder)]),
    }),
  };
  return [args, variant.isPiped ? { env, stdin: bytes.subarray(0, truncated?.bytes) } : { env }];
}

const waitingReads = pathToFileURL(join(root, 'dist/test/crash/files/waiting-reads.js')).href;

/** A file that is there when a run waits within the earlier output. */
export const waitsIn = (folder: string): string => `${folder}.reading`;

const failingSyncs = pathToFileURL(join(root, 'dist/test/crash/files/failing-sync.js')).href;

/** Batches that a run still has to score, according to its checkpoint. */
export async function batchesLeft({ output }: Job): Promise<number> {
  const row = (await checkpointOf(output))?.position.row ?? 1;
  return Math.ceil((ROWS - row + 1) / BATCH_ROWS);
}

/** The part of an output's checkpoint that is used here. */
export async function checkpointOf(
  output: string,
): Promise<{ state: string; position: { row: number } } | undefined> {
  const text = await readFile(`${output}.checkpoint`, 'utf8').catch(() => undefined); // no checkpoint
  return text === undefined ? undefined : JSON.parse(text.split('\n', 1)[0] ?? '');
}
