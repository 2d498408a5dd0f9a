import type { TypeChoice } from '../../base/contract/limits.ts';
import { isOfNumbers, type NumbersReport, type TrainedReport } from '../../base/contract/schemas.ts';
import { RowcastError } from '../../base/errors.ts';
import { unlessStopped } from '../../base/interrupted.ts';
import { countOf } from '../../base/number-text.ts';
import { historyOptions, trainOptions } from '../../base/options/train.ts';
import { resolveValues } from '../../base/options/values/resolve-options.ts';
import { formatList, sanitize } from '../../base/sanitize.ts';
import { findHistory } from '../../library/history-files.ts';
import { homeOf } from '../../library/service/choose-service.ts';
import { ExitCode } from '../../runs/exit-code.ts';
import { trainReport } from '../../training/train.ts';
import { warnOfHome } from '../check-surroundings.ts';
import type { Context } from '../context.ts';
import { tellingEnd } from '../ending/telling-end.ts';
import { untilStopped } from '../signals.ts';
import { printJson, printText } from '../terminal/print.ts';
import { openProgress, stepReport } from '../terminal/progress.ts';
import { describeReport } from '../terminal/report-text.ts';

/** Trains a report and prints its id and tech specs. */
export const run = (context: Context): Promise<number> => tellingEnd('train', context, trainAndPrint);

async function trainAndPrint(context: Context): Promise<number> {
  const { report, isSkipped } = await runTrain(context);
  context.onOutcome?.({
    report: report.id,
    status: isSkipped ? 'skipped' : 'finished',
    ...(isOfNumbers(report)
      ? { r2: report.tech_specs.testing_r2 }
      : { accuracy: report.tech_specs.testing_accuracy }),
    warnings: report.warnings,
  });
  if (context.flags.json === true) await printJson(report, 2);
  // The warnings were already logged.
  else await printText(describeReport(report.id, { ...report, warnings: [] }));
  return ExitCode.done;
}

/**
 * Trains a report.
 *
 * @param definition the `train` section of a definition, if one trains it; flags override it
 * @throws Interrupted; as `train`
 */
export async function runTrain(
  context: Context,
  definition?: Readonly<Record<string, unknown>>,
): Promise<{ report: TrainedReport | NumbersReport; isSkipped: boolean }> {
  const { flags, env, log } = context;
  const defined = definition ?? {};
  const values = resolveValues({ ...trainOptions, ...historyOptions }, flags, defined);
  const isChosen = definition === undefined || defined['if-exists'] !== undefined;
  const names = historyNames({ history: flags.history ?? defined.history });
  if (names.includes(''))
    throw new RowcastError('usage', 'the history file name is empty', {
      hint: 'Give a file of labelled rows, or - for stdin.',
    });
  if (values.predict === undefined)
    throw new RowcastError('usage', 'no column to predict; use --predict COLUMN');
  const { predict } = values;
  const home = homeOf({ flags, env, defined });
  await warnOfHome(context, home);
  const { historyFile, furtherFiles } = await findHistory(names, values);
  let isSkipped = false;
  const progress = openProgress(context);
  // Shows the current step of the training and the time since its start.
  const onStep = (step: string): void => progress.show(seconds => stepReport(step, seconds));
  onStep('reading');
  const options: Parameters<typeof trainReport>[0] = {
    onStep,
    ...values,
    historyFile,
    furtherFiles,
    predict,
    home,
    id: values.report,
    ifExists: isChosen ? values.ifExists : undefined,
    byDefinition: definition !== undefined,
    onBegin: () =>
      log.info(
        { event: 'training_started', history: names.join(', '), files: 1 + furtherFiles.length },
        `training on ${trainedOn(names, 1 + furtherFiles.length)} to predict ${sanitize(predict)}`,
      ),
    onSkip(id, isUnchanged) {
      const why = isUnchanged ? 'was trained from this history with these options' : 'already exists';
      log.info({ event: 'training_skipped', report: id }, `report ${id} ${why}; training skipped`);
      isSkipped = true;
    },
    onChanged: (id, changes) =>
      log.info(
        { event: 'training_repeated', report: id },
        `report ${id} is trained again: ${changes.join(', ')}`,
      ),
    // The choices of the option are the types of columns.
    types: values.types as Readonly<Record<string, TypeChoice>> | undefined,
  };
  const report = await untilStopped(log, { stopping: 'the training is stopped' }, stop =>
    // Reading may hang.
    unlessStopped(trainReport({ ...options, signal: stop }), stop),
  ).finally(() => progress.close());
  if (isSkipped) return { report, isSkipped };
  for (const note of firstNotes(report.notes)) log.info({ event: 'training_note' }, note);
  for (const { code, message } of report.warnings) log.warn({ event: 'training_warning', code }, message);
  return { report, isSkipped };
}

/** The paths and patterns of the training data, as an argument or a definition gives them. */
export const historyNames = ({ history = '' }: Readonly<Record<string, unknown>>): string[] =>
  [history].flat().map(String);

function trainedOn(names: readonly string[], files: number): string {
  const given = names.map(name => (name === '-' ? 'stdin' : name));
  return `${formatList(given)}${files === names.length ? '' : ` (${countOf(files, 'file')})`}`;
}

/** Maximum number of notes that are logged: training data with many columns has one for each. */
const MAX_NOTES = 20;

/** The first notes, sanitized, and the number of further ones. */
function firstNotes(notes: readonly string[]): string[] {
  const first = notes.slice(0, MAX_NOTES).map(sanitize);
  const more = notes.length - first.length;
  return more === 0
    ? first
    : [...first, `and ${countOf(more, 'more note')}; the report has ${more === 1 ? 'it' : 'them all'}`];
}
