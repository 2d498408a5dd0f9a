import type { Wire } from '../../api/wire.ts';
import { scoreOptions, serviceOptions } from '../../definition/options.ts';
import { resolveValues, type Values } from '../../definition/values.ts';
import { RowcastError } from '../../errors.ts';
import type { UsedFile } from '../../io/apart.ts';
import { type HeldPlaces, takePlaces } from '../../pipeline/hold-places.ts';
import type { Kept } from '../../pipeline/output.ts';
import { type PlacesOptions, resolvePlaces } from '../../pipeline/places.ts';
import type { Reject } from '../../pipeline/rejects.ts';
import { scoreTo } from '../../pipeline/score.ts';
import { isBeyond } from '../../pipeline/share.ts';
import type { RunProgress } from '../../pipeline/watch.ts';
import { shown } from '../../shown.ts';
import type { Context } from '../context.ts';
import { ExitCode } from '../exit.ts';
import { counted, openProgress, progressLine } from '../progress.ts';
import { RunRecord } from '../run-record.ts';
import { type Address, chooseService, serviceFiles, withClient } from '../service.ts';
import { onSignals } from '../signals.ts';
import { describeSummary } from '../summary-text.ts';

/** Scores a CSV as the flags say. */
export const run = (context: Context): Promise<number> => runScore(context, {});

type ScoreValues = Values<typeof serviceOptions & typeof scoreOptions>;

/**
 * Scores a CSV.
 *
 * @param defined the section of a definition, under the flags
 * @param reads files that the command reads beside the input and its key
 */
export async function runScore(
  context: Context,
  defined: Readonly<Record<string, unknown>>,
  reads: readonly UsedFile[] = [],
): Promise<number> {
  const { flags, env, log } = context;
  const { values, input, places } = readJob(context, defined, reads);
  const { output, report = null } = values;
  const held = await takePlaces(places);
  const names = {
    input: input === '-' ? 'stdin' : input,
    output: output === '-' ? 'stdout' : output,
    report,
  };
  const file = held.summary && { target: held.summary, name: values.summary ?? '' };
  const record = new RunRecord(names, file);
  try {
    await record.begin();
    const address = chooseService(values, flags.url !== undefined, env);
    return await scoreTold(context, { values, input, address, held, record });
  } catch (error) {
    await record.fail(error, log);
    throw error;
  } finally {
    await held.release();
  }
}

/**
 * Checks the paths of a run that is still to come.
 *
 * @throws RowcastError those of `resolvePlaces`
 */
export async function checkPaths(
  context: Context,
  defined: Readonly<Record<string, unknown>>,
  reads: readonly UsedFile[],
): Promise<void> {
  await resolvePlaces(readJob(context, defined, reads).places);
}

function readJob(
  { flags, env }: Context,
  defined: Readonly<Record<string, unknown>>,
  reads: readonly UsedFile[],
): { values: ScoreValues; input: string; places: PlacesOptions } {
  const values = resolveValues({ ...serviceOptions, ...scoreOptions }, flags, defined);
  const input = String(flags.input ?? defined.input ?? '-');
  const { output, rejects, summary } = values;
  const files = [...reads, ...serviceFiles(values, env)];
  return { values, input, places: { input, output, rejects, summary, reads: files } };
}

interface Job {
  values: ScoreValues;
  input: string;
  address: Address;
  held: HeldPlaces;
  record: RunRecord;
}

/** Scores, and tells on stderr and in the record what becomes of it. */
async function scoreTold(
  { env, log, logFormat, commandLine }: Context,
  { values, input, address, held, record }: Job,
): Promise<number> {
  const { report, output } = values;
  if (report === undefined)
    throw new RowcastError('usage', 'which report? give --report ID', {
      hint: 'rowcast reports lists the local ones.',
    });
  if (input === '-' && process.stdin.isTTY) log.info('reading personas from the terminal; Ctrl-D ends them');
  const wire = values.wire as Partial<Wire> | undefined; // a definition's, which its schema checked
  const { concurrency, maxRequestsPerSecond, maxRowsPerSecond, patience } = values;
  const pace = { concurrency, maxRequestsPerSecond, maxRowsPerSecond, patience };
  return withClient(address, { values, pace, wire, env, log }, async client => {
    record.service = client.name;
    record.statistics = client.statistics;
    const progress = openProgress({ output, logFormat });
    const signals = onSignals(signal => {
      progress.close();
      log.warn(`${signal}: finishing what is in flight, for 10 s at most; once more stops at once`);
    });
    log.info(`scoring ${input === '-' ? 'stdin' : input} with report ${report} of ${client.name}`);
    const watch = {
      stop: signals.first,
      onProgress: (now: RunProgress) => {
        record.accounts = now.accounts;
        progress.show(seconds => progressLine(now, seconds));
      },
      onReject: rejectLines(output === '-' && values.rejects === undefined, (fields, line) => {
        progress.close();
        log.warn(fields, line);
      }),
      onResume: (row: number) => {
        record.resumedFrom = row;
        log.info(`going on with row ${counted(row)}: an unfinished run was there`);
      },
      onKept: ({ row, accounts }: Kept) => {
        record.accounts = accounts;
        progress.close();
        log.info(`kept up to row ${counted(row - 1)}; to go on: ${commandLine}`);
      },
    };
    try {
      const scored = await scoreTo(held, { ...values, report, input }, client, watch);
      progress.close();
      if (scored === undefined) {
        log.info(`${output} is there already: skipped`);
        await record.end('skipped', ExitCode.done, signals.first);
        return ExitCode.done;
      }
      const { accounts } = scored;
      Object.assign(record, scored);
      const isFine = accounts.rejected === 0 || (values.rejectsOk && !isBeyond(values.rejectsOk, accounts));
      const code = isFine ? ExitCode.done : ExitCode.someRejected;
      const summary = await record.end('finished', code, signals.first);
      log.info({ summary }, describeSummary(summary));
      return code;
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
