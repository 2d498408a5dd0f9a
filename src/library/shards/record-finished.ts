import { RunLedger } from '../../runs/several/run-ledger.ts';
import type { Summary } from '../../runs/summary/summary.ts';
import type { ShardPlan } from '../../shards/folder/plan-shape.ts';
import type { Backends } from '../../storage/backends.ts';

/**
 * Records the outputs of several inputs, so that a later command skips those that have not changed since.
 *
 * @throws RowcastError `unwritable_output`, `locked`
 */
export async function recordFinished(
  { files, ledger }: ShardPlan,
  summary: Summary,
  among: Backends,
): Promise<void> {
  if (ledger === null) return;
  const { folder, options } = ledger;
  const finished = new RunLedger(folder, among);
  for (const [i, { run_id, exit_code, rows }] of [...(summary.runs ?? [summary])].entries()) {
    const file = files[i];
    if (file === undefined) continue;
    const { input, output, rejects, size, modified, etag } = file;
    const { read, rejected } = rows;
    const entry = { run_id, exit_code: exit_code ?? 0, rows: { read, rejected } };
    await finished.add({ input, output, rejects: rejects ?? undefined, options }, entry, {
      size,
      modified,
      ...(etag !== undefined && { etag }),
    });
  }
  await finished.flush();
}
