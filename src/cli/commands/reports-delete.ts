import { homeOf } from '../../library/service/choose-service.ts';
import { deleteReport } from '../../models/store/write-report.ts';
import { ExitCode } from '../../runs/exit-code.ts';
import type { Context } from '../context.ts';

/** Deletes a local report, even a damaged one. */
export async function run({ flags, env, log }: Context): Promise<number> {
  const home = homeOf({ flags, env });
  const id = String(flags.id);
  await deleteReport(home, id);
  log.info({ event: 'report_deleted', report: id }, `deleted report ${id} from ${home}`);
  return ExitCode.done;
}
