import { stat } from 'node:fs/promises';
import { isImported, type NumbersReport, type Report, type TrainedReport } from '../base/contract/schemas.ts';
import { RowcastError } from '../base/errors.ts';
import { readAsOf } from '../formats/formats.ts';
import { hasReport, listReports, readReport } from '../models/store/report-store.ts';
import { reportFolder } from '../models/store/report-version.ts';
import { nameOfContent } from '../storage/codecs/codecs.ts';
import { combinedSha256, sha256OfFile } from '../storage/digests.ts';
import type { TrainingOptions } from './train-options.ts';

const REPLACE_ONCE = 'To replace it, this time only, run the definition with --set train.if-exists=replace.';

/**
 * The report to keep instead of training one, if there is any.
 *
 * @throws RowcastError `report_exists`, `damaged_report`
 */
export async function existingReport(
  id: string,
  options: TrainingOptions,
): Promise<TrainedReport | NumbersReport | undefined> {
  const { home, ifExists, byDefinition = false, onSkip, onChanged } = options;
  if (ifExists === 'replace' || !(await hasReport(home, id))) return undefined;
  const comparesReport = ifExists === 'skip-unchanged' || (ifExists === undefined && byDefinition);
  if (ifExists !== 'skip' && !comparesReport)
    throw reportExists(home, id, {
      message: `there is already a report "${id}"`,
      hint: 'Use --if-exists replace to train it again, or --report ID for a new one.',
    });
  const report: Report = await readReport(home, id).catch(error => {
    // Nobody knows who trained it.
    if (byDefinition && error instanceof RowcastError && error.code === 'damaged_report')
      error.hint = REPLACE_ONCE;
    throw error;
  });
  if (isImported(report))
    throw reportExists(home, id, {
      message: `there is already a report "${id}", which was imported`,
      hint: 'Use --if-exists replace to train it here, or --report ID for a new one.',
    });
  const changes = comparesReport ? await changesSince(report, options) : [];
  if (changes.length === 0) {
    onSkip?.(id, comparesReport);
    return report;
  }
  if (ifExists === undefined && report.trained_from.by_definition !== true)
    throw reportExists(home, id, {
      message: `there is already a report "${id}" that no definition has trained (${changes.join(', ')})`,
      hint: `Give another id in train: and score:, or keep this report with "if-exists: skip" in train:. ${REPLACE_ONCE}`,
    });
  onChanged?.(id, changes);
  return undefined;
}

const reportExists = (home: string, id: string, { message, hint }: Record<'message' | 'hint', string>) =>
  new RowcastError('report_exists', message, { location: { file: reportFolder(home, id) }, hint });

/** The options that decide what a report learns, by flag, with their values as JSON. */
export function learningOptions(options: TrainingOptions): Record<string, string> {
  const { predict, seed = 1, nulls = [], target, bins, features, excludeFeatures, types } = options;
  const files = filesOf(options).map(file => readAsOf(options, nameOfContent(file)));
  const readAs = (name: 'delimiter' | 'quote' | 'escape'): unknown => {
    const [first, ...others] = files.map(file => file[name]);
    return others.every(value => value === first) ? first : [first, ...others];
  };
  const given: Record<string, unknown> = {
    '--predict': predict,
    '--seed': seed,
    '--target': target,
    '--bins': bins,
    '--features': features,
    '--exclude-features': excludeFeatures,
    '--types': types && Object.entries(types).sort(([a], [b]) => (a < b ? -1 : 1)),
    '--nulls': nulls,
    '--names': options.names,
    '--encoding': options.encoding,
    '--max-rejects': options.maxRejects,
    '--delimiter': readAs('delimiter'),
    '--quote': readAs('quote'),
    '--escape': readAs('escape'),
    '--skip-lines': options.skipLines,
  };
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (isGiven(value) ? [[name, JSON.stringify(value)]] : [])),
  );
}

/** An empty list means the same as no list, except for `--features`, which training refuses if it is empty. */
const isGiven = (value: unknown): boolean =>
  value !== undefined && !(Array.isArray(value) && value.length === 0);

/**
 * What has changed since a report was trained, in words; nothing if training would make the same report again. A
 * history that is not a file can be read only once, so it counts as changed.
 */
async function changesSince(
  { id, trained_from: before }: TrainedReport | NumbersReport,
  options: TrainingOptions,
): Promise<string[]> {
  if (before === undefined) return ['what it was trained from is not known'];
  const now = learningOptions(options);
  const names = new Set([...Object.keys(before.options), ...Object.keys(now)]);
  const changes = [...names].filter(name => before.options[name] !== now[name]);
  const digest = await historyDigest(filesOf(options));
  if (digest === undefined || digest !== before.history_sha256) changes.unshift('the history');
  const [listed] = await listReports(options.home, { ids: [id] });
  return [
    ...changes.map(name => `${name} has changed`),
    ...(listed?.damage === undefined ? [] : ['it is damaged']),
  ];
}

const filesOf = ({ historyFile, furtherFiles = [] }: TrainingOptions): string[] => [
  historyFile,
  ...furtherFiles,
];

/** The `combinedSha256` of files; undefined if one of them is not a file. */
async function historyDigest(files: readonly string[]): Promise<string | undefined> {
  const digests: string[] = [];
  for (const file of files) {
    const found = file === '-' ? undefined : await stat(file).catch(() => undefined); // opening it reports the error
    if (found?.isFile() !== true) return undefined;
    digests.push(await sha256OfFile(file));
  }
  return combinedSha256(digests);
}
