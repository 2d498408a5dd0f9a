import * as z from 'zod';
import { RowcastError } from '../../base/errors.ts';
import { LAST } from '../../base/options/drift.ts';
import { sanitize } from '../../base/sanitize.ts';
import { reasonOf } from '../../base/system-error.ts';
import { type Backends, openSource } from '../../storage/backends.ts';
import { type EarlierFigures, earlierFigures, hasCounts } from '../drift/compare.ts';
import { lastRunIn } from './good-run.ts';
import type { LastRun } from './last-run.ts';

/** The format of the summaries that this version writes and reads. */
const FORMAT = 1;
/** Enough for thousands of files with many columns each. */
const MAX_BYTES = 256 << 20;

const versioned = z.object({ format: z.int().min(1), run_id: z.string() });

/**
 * What a summary has to compare with: the counts of its run, or else of the last good one that it knows.
 *
 * @param report that the new run uses
 * @returns a text that says why there is nothing, with the name of the file
 * @throws RowcastError `bad_option` for stdin
 */
export async function figuresIn(
  file: string,
  report: string,
  backends?: Backends,
): Promise<EarlierFigures | string> {
  if (file === '-')
    throw new RowcastError('bad_option', '--compare takes a file, not -', {
      hint: 'Give the path of the summary.',
    });
  const name = sanitize(file);
  const json = await readSummaryJson(file, backends).catch((error: unknown) => error as Error);
  if (json instanceof SyntaxError) return `${name} is not the summary of a run`;
  if (json instanceof Error) return `${name}: ${reasonOf(json)}`;
  const versionedJson = versioned.safeParse(json);
  if (!versionedJson.success) return `${name} is not the summary of a run`;
  const { format } = versionedJson.data;
  if (format > FORMAT) return `${name} has format ${format}, of which this version reads only ${FORMAT}`;
  const { success, data } = earlierFigures.safeParse(json);
  if (!success) return `${name} is not the summary of a run`;
  const last = hasCounts(data) ? undefined : lastRunIn(json);
  return usable(last === undefined ? data : comparable(last), file, report);
}

/** The figures of the last good run that a summary names. */
export const figuresOfLast = (last: LastRun | undefined, report: string): EarlierFigures | string =>
  last === undefined ? 'no good run of this output is known yet' : usable(comparable(last), LAST, report);

function comparable(last: LastRun): z.infer<typeof earlierFigures> {
  const { started_at, finished_at, ...run } = { ...last, ...last.counted };
  return earlierFigures.parse({ ...run, started_at: started_at ?? finished_at });
}

function usable(
  figures: z.infer<typeof earlierFigures>,
  file: string,
  report: string,
): EarlierFigures | string {
  const name = file === LAST ? 'the last good run' : sanitize(file);
  if (figures.report !== report) {
    const other = figures.report === null ? 'no report' : `the report "${sanitize(figures.report)}"`;
    return `${name} has ${other}, not "${sanitize(report)}"`;
  }
  if (!hasCounts(figures)) return `${name} has no counts`;
  return { ...figures, file: file === LAST ? 'the last good run' : file };
}

/** @throws SyntaxError if it is no JSON; RowcastError `no_such_file`, `unreadable_input`, `bad_gzip`, `bad_zstd` */
export async function readSummaryJson(file: string, backends?: Backends): Promise<unknown> {
  const source = await openSource(file, false, undefined, backends);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for (let next = await source.chunks.next(); !next.done; next = await source.chunks.next()) {
      size += next.value.length;
      if (size > MAX_BYTES) throw new SyntaxError('it is too large');
      chunks.push(Buffer.from(next.value));
    }
    return JSON.parse(Buffer.concat(chunks).toString());
  } finally {
    source.close();
  }
}
