import type { TypeChoice } from '../base/contract/limits.ts';
import type { NumbersReport, TrainedReport } from '../base/contract/schemas.ts';
import { RowcastError } from '../base/errors.ts';
import { trainReport } from '../training/train.ts';
import { called } from './as-rowcast-error.ts';
import { CallbackGuard } from './callback-guard.ts';
import { findHistory } from './history-files.ts';
import { checkObject, pathOf, readGiven } from './options/given-values.ts';
import { type GivenHistoryOptions, historyTable } from './options/library-options.ts';

/** Options of `train`: those of `rowcast train` in camel case. `report` is the id of the new report. */
export interface TrainOptions extends GivenHistoryOptions {
  /**
   * A CSV of labelled rows, plain, gzip or zstd: a path, `-` for stdin, or the URL of a file or an object. Several
   * files and patterns, with the same columns, are read one after the other.
   */
  history: string | URL | readonly (string | URL)[];
  /** The column to predict. */
  predict: string;
  /** The folder of the local reports; `.rowcast` by default. */
  home?: string | undefined;
  /** Aborts the training; nothing is written then. */
  signal?: AbortSignal | undefined;
  /** Called with a short description of the next step. If it throws or rejects, so does `train`: `callback_failed`. */
  onStep?: ((step: string) => void) | undefined;
}

/**
 * Trains a report from labelled rows, in a thread, and stores it in `home`. The same rows, options and seed give the
 * same report.
 *
 * @returns the new report, or with `ifExists: 'skip'` perhaps the one that was there
 * @throws RowcastError `report_exists`, `unwritable_home`, `interrupted`, `bad_option`, the errors of a malformed
 *   history and the reasons why nothing can be learned from it
 */
export function train(given: TrainOptions): Promise<TrainedReport | NumbersReport> {
  return called(given?.signal, async stop => {
    checkObject('train', given, 'history and predict');
    const { home = '.rowcast', onStep } = given;
    const guard = new CallbackGuard(error => stop.fail(error));
    const others = ['history', 'home', 'signal', 'onStep'];
    const { predict, report: id, types, ...values } = readGiven(historyTable, given, others);
    if (predict === undefined) throw new RowcastError('bad_option', 'predict: expected a column');
    const report = await trainReport({
      ...values,
      ...(await findHistory(namesOf(given.history), values)),
      predict,
      home,
      // The choices of the option are the types of columns.
      types: types as Readonly<Record<string, TypeChoice>> | undefined,
      id,
      signal: stop.signal,
      onStep: onStep && guard.guard('onStep', onStep),
    });
    await guard.settled(stop.signal);
    return report;
  });
}

function namesOf(history: unknown): string[] {
  if (!Array.isArray(history)) return [pathOf('history', history)];
  if (history.length === 0)
    throw new RowcastError('bad_option', 'history: expected a path or a list of paths');
  return history.map(each => pathOf('history', each));
}
