import { homeOf } from '../../library/service/choose-service.ts';
import { deleteReport } from '../../models/store/write-report.ts';
import { ExitCode } from '../../runs/exit-code.ts';
import type { Context } from '../context.ts';

/** Deletes a local report, even a damaged one. */
export async function run(context: Context): Promise<number> {
  const home = homeOf(context);
  const id = String(context.flags.id);
  await deleteReport(home, id);
  context.log.info({ event: 'report_deleted', report: id }, `deleted report ${id} from ${home}`);
  return ExitCode.done;
}
