import * as z from 'zod';
import { RowcastError } from '../../base/errors.ts';
import { sanitize } from '../../base/sanitize.ts';
import { openSource } from '../../storage/backends.ts';
import { type EarlierFigures, earlierFigures, hasCounts } from '../drift/earlier-figures.ts';

/** The format of the summaries that this version writes and reads. */
const FORMAT = 1;
/** Enough for thousands of files with many columns each. */
const MAX_BYTES = 256 << 20;

const versioned = z.object({ format: z.int().min(1), run_id: z.string() });

/**
 * Reads the summary of an earlier run, for a comparison.
 *
 * @param report that the new run uses
 * @throws RowcastError `bad_summary`; `no_such_file`, `unreadable_input`, `bad_gzip`, `bad_zstd`
 */
export async function readEarlierSummary(file: string, report: string): Promise<EarlierFigures> {
  const json = await readJson(file);
  const versionedJson = versioned.safeParse(json);
  if (!versionedJson.success) throw noSummary(file);
  const { format } = versionedJson.data;
  if (format > FORMAT)
    throw badSummary(file, `the summary has format ${format}, of which this version reads only ${FORMAT}`, {
      hint: 'Use a version of rowcast that is as new as the one that wrote it.',
    });
  const { success, data } = earlierFigures.safeParse(json);
  if (!success) throw noSummary(file);
  if (data.report !== report)
    throw badSummary(
      file,
      `the summary is of a run with ${data.report === null ? 'no report' : `the report "${sanitize(data.report)}"`}, not "${sanitize(report)}"`,
      { hint: 'Compare with a run of the same report.' },
    );
  if (!hasCounts(data))
    throw badSummary(file, 'the summary has no counts to compare with', {
      hint: 'Compare with a run that has scored rows, and that wrote its summary from its start on.',
    });
  return { ...data, file };
}

async function readJson(file: string): Promise<unknown> {
  if (file === '-')
    throw badSummary(file, '--compare takes a file, not -', { hint: 'Give the path of the summary.' });
  const source = await openSource(file);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for (let next = await source.chunks.next(); !next.done; next = await source.chunks.next()) {
      size += next.value.length;
      if (size > MAX_BYTES) throw noSummary(file);
      chunks.push(Buffer.from(next.value));
    }
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch (error) {
    throw error instanceof SyntaxError ? noSummary(file, error) : error;
  } finally {
    source.close();
  }
}

const noSummary = (file: string, cause?: unknown): RowcastError =>
  badSummary(file, 'this is not the summary of a run', {
    hint: 'Give --compare a file that --summary has written.',
    cause,
  });

const badSummary = (
  file: string,
  message: string,
  details: { hint: string; cause?: unknown },
): RowcastError => new RowcastError('bad_summary', message, { location: { file }, ...details });
