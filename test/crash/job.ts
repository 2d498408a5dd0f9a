import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../../fixtures/random.ts';
import type { RunOptions } from '../rowcast.ts';
import { type Stub, startStub } from '../stub/service.ts';
import { answerSome } from './unscorable.ts';
import { BATCH_ROWS, ROWS, SENT, type Variant } from './variants.ts';

/** A variant in a folder of its own, with a service of its own. */
export interface Job {
  variant: Variant;
  folder: string;
  input: string;
  output: string;
  summary: string;
  stub: Stub;
  /** Milliseconds from the first call to the end of a run that is not killed. */
  scoringMs: number;
  /** Calls of such a run. */
  calls: number;
  /** Told at each call that comes in. */
  onCall: (() => void) | undefined;
}

export async function prepare(variant: Variant, folder: string, random: Random): Promise<Job> {
  const input = join(folder, 'in.csv');
  await writeFile(input, variant.input);
  const stub = await startStub({
    ...(variant.report && { report: variant.report }),
    async behave(call) {
      job.onCall?.();
      await delay(random.whole(0, 4));
      if (variant.hasRejects) answerSome(call);
      return variant.hasRejects ?? false;
    },
  });
  const output = join(folder, variant.output);
  const summary = join(folder, 'summary.json');
  const job: Job = {
    variant,
    folder,
    input,
    output,
    summary,
    stub,
    scoringMs: 0,
    calls: 0,
    onCall: undefined,
  };
  return job;
}

/** The command, the same at each start, and what it is given. */
export function commandOf({ variant, input, output, summary, stub }: Job): [string[], RunOptions] {
  const args = ['score', variant.isPiped ? '-' : input, '--report', 'r', '-o', output, '--url', stub.url];
  args.push(
    '--columns',
    SENT,
    '--checkpoint-seconds',
    '0',
    '--batch-rows',
    String(BATCH_ROWS),
    '--summary',
    summary,
  );
  const env = { ROWCAST_API_KEY: stub.key };
  return [args, variant.isPiped ? { env, stdin: variant.input } : { env }];
}

/** Batches that a run has before it, by the checkpoint that there is. */
export async function batchesLeft({ output }: Job): Promise<number> {
  const row = (await checkpointOf(output))?.position.row ?? 1;
  return Math.ceil((ROWS - row + 1) / BATCH_ROWS);
}

/** The checkpoint of an output, as far as it is looked at here. */
export async function checkpointOf(
  output: string,
): Promise<{ state: string; position: { row: number } } | undefined> {
  const text = await readFile(`${output}.checkpoint`, 'utf8').catch(() => undefined); // there is none
  return text === undefined ? undefined : JSON.parse(text);
}
