import { stat } from 'node:fs/promises';
import type { Report } from '../base/contract/schemas.ts';
import { readAsOf } from '../formats/formats.ts';
import { listReports } from '../models/store/report-store.ts';
import { nameOfContent } from '../storage/codecs/codecs.ts';
import { combinedSha256, sha256Of } from '../storage/digests.ts';
import type { TrainOptions } from './train-options.ts';

/** The options that decide what a report learns, by flag, with their values as JSON. */
export function optionsOf(options: TrainOptions): Record<string, string> {
  const { predict, seed = 1, nulls = [], bins, features, excludeFeatures, types } = options;
  const files = filesOf(options).map(file => readAsOf(options, nameOfContent(file)));
  const readAs = (name: 'delimiter' | 'quote' | 'escape'): unknown => {
    const [first, ...others] = files.map(file => file[name]);
    return others.every(value => value === first) ? first : [first, ...others];
  };
  const given: Record<string, unknown> = {
    '--predict': predict,
    '--seed': seed,
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
 * What has changed since a report was trained, in words; nothing if training would make the same report again. A history
 * that is not a file can be read only once, so it counts as changed.
 */
export async function changesSince(
  { id, trained_from: before }: Report,
  options: TrainOptions,
): Promise<string[]> {
  if (before === undefined) return ['what it was trained from is not known'];
  const now = optionsOf(options);
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

const filesOf = ({ historyFile, furtherFiles = [] }: TrainOptions): string[] => [
  historyFile,
  ...furtherFiles,
];

/** The `combinedSha256` of files; undefined if one of them is not a file. */
async function historyDigest(files: readonly string[]): Promise<string | undefined> {
  const digests: string[] = [];
  for (const file of files) {
    const found = file === '-' ? undefined : await stat(file).catch(() => undefined); // opening it reports the error
    if (found?.isFile() !== true) return undefined;
    digests.push(await sha256Of(file));
  }
  return combinedSha256(digests);
}
