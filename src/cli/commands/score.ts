import type { Wire } from '../../api/wire.ts';
import { scoreOptions, serviceOptions } from '../../definition/options.ts';
import { resolveValues } from '../../definition/values.ts';
import { RowcastError } from '../../errors.ts';
import type { Reject } from '../../pipeline/rejects.ts';
import { score } from '../../pipeline/score.ts';
import { isBeyond } from '../../pipeline/share.ts';
import { summaryOf } from '../../pipeline/summary.ts';
import type { RunProgress } from '../../pipeline/watch.ts';
import { shown } from '../../shown.ts';
import type { Context } from '../context.ts';
import { ExitCode } from '../exit.ts';
import { writeWhole } from '../print.ts';
import { counted, openProgress, progressLine } from '../progress.ts';
import { chooseService, withClient } from '../service.ts';
import { onSignals } from '../signals.ts';
import { describeSummary } from '../summary-text.ts';

/** Scores a CSV as the flags say. */
export const run = (context: Context): Promise<number> => runScore(context, {});

/**
 * Scores a CSV.
 *
 * @param defined the section of a definition, under the flags
 */
export async function runScore(
  { flags, env, log, logFormat, commandLine }: Context,
  defined: Readonly<Record<string, unknown>>,
): Promise<number> {
  const values = resolveValues({ ...serviceOptions, ...scoreOptions }, flags, defined);
  const { report, output } = values;
  if (report === undefined)
    throw new RowcastError('usage', 'which report? give --report ID', {
      hint: 'rowcast reports lists the local ones.',
    });
  const input = String(flags.input ?? defined.input ?? '-');
  if (input === '-' && process.stdin.isTTY) log.info('reading personas from the terminal; Ctrl-D ends them');

  const address = chooseService(values, flags.url !== undefined, env);
  const wire = values.wire as Partial<Wire> | undefined; // a definition's, which its schema checked
  const { concurrency, maxRequestsPerSecond, maxRowsPerSecond, patience } = values;
  const pace = { concurrency, maxRequestsPerSecond, maxRowsPerSecond, patience };
  const connection = { values, pace, wire, env, log };
  return withClient(address, connection, async client => {
    const progress = openProgress({ output, logFormat });
    const signals = onSignals(signal => {
      progress.close();
      log.warn(`${signal}: finishing what is in flight, for 10 s at most; once more stops at once`);
    });
    log.info(`scoring ${input === '-' ? 'stdin' : input} with report ${report} of ${client.name}`);
    const watch = {
      stop: signals.first,
      onProgress: (now: RunProgress) => progress.show(seconds => progressLine(now, seconds)),
      onReject: rejectLines(output === '-' && values.rejects === undefined, (fields, line) => {
        progress.close();
        log.warn(fields, line);
      }),
      onResume: (row: number) => log.info(`going on with row ${counted(row)}: an unfinished run was there`),
      onKept: (row: number) => {
        progress.close();
        log.info(`kept up to row ${counted(row - 1)}; to go on: ${commandLine}`);
      },
    };
    try {
      const scored = await score({ ...values, report, input }, client, watch);
      progress.close();
      if (scored === undefined) {
        log.info(`${output} is there already: skipped`);
        return ExitCode.done;
      }
      const { accounts } = scored;
      const summary = summaryOf({
        ...scored,
        input: input === '-' ? 'stdin' : input,
        output: output === '-' ? 'stdout' : output,
        service: client.name,
        report,
        seconds: progress.seconds(),
        statistics: client.statistics,
      });
      log.info({ summary }, describeSummary(summary));
      if (values.summary !== undefined)
        await writeWhole(values.summary, `${JSON.stringify(summary, null, 2)}\n`);
      const isFine = accounts.rejected === 0 || (values.rejectsOk && !isBeyond(values.rejectsOk, accounts));
      return isFine ? ExitCode.done : ExitCode.someRejected;
    } finally {
      progress.close();
      signals.end();
    }
  });
}

/** Rejects that are told one by one where they have no file. */
const TOLD = 20;

/** Tells rejects that have no file: line, code and reason, and no value of a persona's; a service's reason may quote one. */
function rejectLines(
  isTold: boolean,
  tell: (fields: object, line: string) => void,
): (reject: Reject) => void {
  let count = 0;
  return ({ row, line, code, reason }) => {
    count++;
    if (isTold && count <= TOLD)
      tell({ row, line, code }, `line ${line} rejected: ${shown(reason)} [${code}]`);
    if (isTold && count === TOLD + 1) tell({}, 'further rejects are only counted; --rejects FILE keeps them');
  };
}
