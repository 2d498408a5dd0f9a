import * as z from 'zod';
import { reportId } from '../../base/contract/schemas.ts';
import { RowcastError } from '../../base/errors.ts';
import { hasReport } from '../../models/store/report-store.ts';
import { RequestError } from '../../server/problems/problems.ts';
import type { PlatformContext } from '../context.ts';
import type { DataMeta } from '../data/data-files.ts';
import { choicesOf } from '../data/settings.ts';
import { targetOf } from './target.ts';
import { defaultTarget, targetChoices } from './training-form.ts';
import type { TrainingOrder } from './trainings.ts';

/** The fields of the form that starts a training. */
export const trainingBody = z.object({
  data: z.string(),
  /** The index of the column to predict: names may occur twice, and may be of any length. */
  column: z.coerce.number().int().min(0),
  report: z.string().max(1_000),
  replace: z.string().optional(),
  /** By default ranges, if there are `bins`, else what training chooses by itself. */
  target: z.enum(targetChoices).optional(),
  bins: z.string().max(100).default(''),
  seed: z.string().max(100).default('1'),
});
export type TrainingBody = z.infer<typeof trainingBody>;

const MAX_SEED = 2 ** 32 - 1;
const binCount = z.coerce.number().int().min(2).max(20);
const seedNumber = z.coerce.number().int().min(0).max(MAX_SEED);

/**
 * What to train, from the form. The data cannot be deleted until `release` is called.
 *
 * @throws RequestError `no_such_data`, `invalid_value`, `quota_exceeded`; RowcastError `bad_report_id`, `report_exists`
 */
export async function readOrder(
  body: TrainingBody,
  context: PlatformContext,
  by: string,
): Promise<{ order: TrainingOrder; release: () => void }> {
  const { home, data: store, reportSpace } = context;
  const release = store.hold(body.data);
  try {
    const meta = await store.meta(body.data);
    // The report has a fifth of the rows, as testing results.
    reportSpace.check(by, Math.ceil(meta.contentBytes / 5));
    const profile = await store.profile(body.data);
    const column = profile.columns[body.column];
    if (column === undefined) throw invalid('Choose the column to predict.');
    const target = targetOf(column, profile);
    if (target.kind === 'refused')
      throw invalid(`This column cannot be predicted: ${target.problem.message}.`);
    const chosen = body.target ?? (body.bins.trim() === '' ? defaultTarget(target) : 'ranges');
    if (chosen !== 'classes' && column.type !== 'numerical')
      throw invalid('The column does not hold numbers: its values can only be predicted as classes.');
    if (chosen === 'classes' && target.kind === 'amounts')
      throw invalid(
        'The column has too many different numbers for classes: predict the number, or ranges of it.',
      );
    const bins =
      chosen === 'ranges'
        ? parse(binCount, body.bins, 'The ranges are a whole number from 2 to 20.')
        : undefined;
    const seed = parse(seedNumber, body.seed, `The seed is a whole number from 0 to ${MAX_SEED}.`);
    const id = body.report.trim();
    if (!reportId.safeParse(id).success)
      throw invalid(
        'A report ID is 1 to 64 letters, digits, “-” and “_”, and begins with a letter or digit.',
      );
    const replaces = body.replace !== undefined;
    if (!replaces && (await hasReport(home, id)))
      throw new RowcastError(
        'report_exists',
        `there is already a report “${id}”: choose another ID, or choose to replace it`,
      );
    return {
      release,
      order: {
        data: { id: meta.id, name: meta.name },
        by,
        options: {
          ...readingOf(meta, context),
          predict: column.name,
          id,
          ifExists: replaces ? 'replace' : 'fail',
          seed,
          ...(bins !== undefined && { bins }),
          ...(chosen !== 'ranges' && chosen !== defaultTarget(target) && { target: chosen }),
        },
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}

/** How uploaded data is read for training. */
export function readingOf(meta: DataMeta, { data: store, limits }: PlatformContext) {
  return {
    ...choicesOf(meta.settings),
    historyFile: store.pathOf(meta),
    maxRecordBytes: limits.recordBytes,
    ...(meta.delimiter !== undefined && { delimiter: meta.delimiter }),
  };
}

function parse(shape: typeof binCount, text: string, detail: string): number {
  const { data } = shape.safeParse(text.trim() === '' ? undefined : text.trim());
  if (data === undefined) throw invalid(detail);
  return data;
}

const invalid = (detail: string): RequestError => new RequestError('invalid_value', detail);
