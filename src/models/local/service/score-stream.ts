import type { UploadAccounts } from '../../../base/contract/accounts-trailer.ts';
import { RowcastError } from '../../../base/errors.ts';
import { scoreDefaults } from '../../../base/options/values/score-defaults.ts';
import { liveSource } from '../../../formats/records/live-source.ts';
import { dataCounts } from '../../../runs/drift/data-counts.ts';
import { prepare } from '../../../scoring/prepare.ts';
import { accountsOf, count } from '../../../scoring/row-counts.ts';
import type { Scorer } from '../../../scoring/scorer.ts';
import { stages } from '../../../scoring/stages.ts';
import { prefetch } from '../prefetch.ts';

/** The header, the first batch, and what follows it: errors in a file that is not longer come before any output. */
const HELD_BACK = 3;

/** Smaller than those of a run, so that the first rows of a pipe are not held back for long. */
const BATCH_ROWS = 1000;

export interface StreamToScore {
  report: string;
  csv: AsyncIterable<Buffer>;
  /** Of the CSV, for messages. */
  name: string;
  signal: AbortSignal | undefined;
}

/** The scored CSV, and its row counts after the last chunk. */
export interface ScoredStream {
  chunks: AsyncGenerator<Buffer>;
  accounts(): UploadAccounts;
}

/** Scores a CSV as POST /user/batch-predict does: without options, and without a file of rejects. */
export async function scoreStream(
  scorer: Scorer,
  { report, csv, name, signal }: StreamToScore,
): Promise<ScoredStream> {
  const plan = await prepare(
    liveSource(name, csv),
    { ...scoreDefaults, report, batchRows: BATCH_ROWS },
    scorer,
    signal,
  );
  const accounts = accountsOf(undefined);
  const { layout, rest } = plan;
  const data = dataCounts(plan, undefined, { isDetailed: false, earlier: undefined });
  const stop = signal && { reading: signal, calling: signal };
  async function* chunks(): AsyncGenerator<Buffer> {
    const counting = data?.counting;
    for await (const part of stages(plan, {
      scorer,
      rest,
      start: layout.start,
      counting,
      ...(stop && { stop }),
    })) {
      count(accounts, part);
      if (part.tally !== undefined) data?.tally.add(part.tally);
      yield Buffer.from(part.bytes); // several are held back
    }
  }
  try {
    return {
      chunks: await prefetch(chunks(), HELD_BACK),
      accounts: () => ({ ...accounts, ...data?.unrecognized() }),
    };
  } catch (error) {
    // Nothing was written yet.
    if (error instanceof RowcastError && error.severity === 'stopped') error.severity = 'refused';
    throw error;
  }
}
