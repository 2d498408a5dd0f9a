import { countOf, sizeOf } from '../../base/number-text.ts';
import { sanitize } from '../../base/sanitize.ts';
import { plannedValues } from '../../library/shards/assemble-job.ts';
import { runFilesOf } from '../../runs/paths/run-files.ts';
import type { Summary } from '../../runs/summary/summary.ts';
import type { SpaceNeed } from '../../shards/assemble/space.ts';
import { isSingle, type ShardPlan } from '../../shards/folder/plan-shape.ts';
import type { Context } from '../context.ts';
import { describeRejects } from '../repair-commands.ts';
import { describeFiles } from '../score/files-text.ts';
import { shownPath } from '../terminal/shown-path.ts';
import { describeSummary } from '../terminal/summary-text.ts';
import { plannedAddress } from './work-command.ts';

/** Logs how a run has ended whose parts are joined. */
export function reportAssembled(context: Context, plan: ShardPlan, summary: Summary): void {
  const { env, log } = context;
  for (const { input, warnings } of summary.runs ?? [summary])
    for (const { code, message } of warnings)
      if (code === 'unknown_values')
        log.warn(
          { event: 'unknown_values', input },
          summary.runs ? `${sanitize(shownPath(input))}: ${message}` : message,
        );
  const [file] = plan.files;
  if (file === undefined || !isSingle(plan)) {
    const rejectedBefore = plan.unchanged.reduce((sum, { rows }) => sum + rows.rejected, 0);
    log.info({ event: 'files_finished', summary }, describeFiles(summary, rejectedBefore));
    return;
  }
  log.info({ event: 'run_finished', summary }, describeSummary(summary));
  if (summary.rows.rejected === 0) return;
  const { input, output } = file;
  const rejects = file.rejects ?? runFilesOf(output).rejects;
  const values = { ...plannedValues(plan, context.flags), output, rejects: file.rejects ?? undefined };
  const address = plannedAddress(context, plan);
  const { prediction } = summary;
  log.info(
    { event: 'rejects_left', rejects },
    describeRejects({ format: file.format, values, input, address, rejects, env, prediction }),
  );
}

/** For example `joining 12 parts; this needs up to 512.0 MB more on the disk of /data, and 31.2 GB are free`. */
export function spaceText(parts: number, needs: readonly SpaceNeed[]): string {
  const each = needs
    .filter(({ bytes }) => bytes > 0)
    .map(
      ({ folder, bytes, free }) =>
        `${sizeOf(bytes)} more on the disk of ${folder}, and ${sizeOf(free)} are free`,
    );
  const space = each.length === 0 ? '' : `; this needs up to ${each.join('; ')}`;
  return `joining ${countOf(parts, 'part')}${space}`;
}
