import type { Client } from '../client/client.ts';
import type { LooseReport } from '../contract/schemas.ts';
import { type Head, readHead } from '../formats/csv/read-batches.ts';
import type { ScoreOptions } from '../runs/options.ts';
import type { Identity, Source } from '../storage/source.ts';
import { chooseFeatures, type FeatureColumn } from './feature-columns.ts';
import { Merger } from './merge/merge.ts';
import { unlessStopped } from './stop.ts';

/** What is known before the first row is read. */
export interface Plan {
  source: Source;
  identity: Identity;
  options: ScoreOptions;
  report: LooseReport;
  head: Head;
  /** The columns to send. */
  features: readonly FeatureColumn[];
  /** Knows the classes if the definition or the report names them. */
  merger: Merger;
}

/**
 * Everything that can be wrong with the command is found here, before anything is written.
 *
 * @throws RowcastError for a missing report, an invalid header, columns or classes that do not fit
 * @throws Interrupted
 */
export async function prepare(
  source: Source,
  options: ScoreOptions,
  client: Client,
  stop: AbortSignal | undefined,
): Promise<Plan> {
  const report = await unlessStopped(client.report(options.report), stop);
  const head = await unlessStopped(readHead(source, options), stop);
  const { header } = head;
  const identity = await source.identify();
  const features = chooseFeatures(header, report, options, source.name);
  const merger = new Merger({ ...options, header, report });
  return { source, identity, options, report, head, features, merger };
}
