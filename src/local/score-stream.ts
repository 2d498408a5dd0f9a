import { scoreDefaults } from '../config/score-defaults.ts';
import type { UploadAccounts } from '../contract/accounts-trailer.ts';
import { accountsOf, count } from '../runs/accounts.ts';
import { prepare } from '../scoring/prepare.ts';
import type { Scorer } from '../scoring/scorer.ts';
import { stages } from '../scoring/stages.ts';

/** Scores a CSV as POST /user/batch-predict does: without options, and without a file of rejects. */
export async function scoreStream(
  scorer: Scorer,
  report: string,
  csv: AsyncIterable<Buffer>,
  signal: AbortSignal | undefined,
): Promise<{ chunks: AsyncGenerator<Buffer>; accounts(): UploadAccounts }> {
  const source = {
    name: 'upload',
    contentName: 'upload',
    isLive: true,
    chunks: csv[Symbol.asyncIterator](),
    checkUnchanged: async () => {},
  };
  const plan = await prepare(source, { ...scoreDefaults, report }, scorer, signal);
  const accounts = accountsOf(undefined);
  const { layout, rest } = plan;
  const stop = signal && { reading: signal, calling: signal };
  async function* chunks(): AsyncGenerator<Buffer> {
    for await (const part of stages(plan, { scorer, rest, start: layout.start, ...(stop && { stop }) })) {
      count(accounts, part);
      yield part.bytes;
    }
  }
  return { chunks: chunks(), accounts: () => accounts };
}
