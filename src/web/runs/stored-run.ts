import * as z from 'zod';
import { fileFormats } from '../../base/contract/file-formats.ts';
import { reportId } from '../../base/contract/schemas.ts';
import type { Principal } from '../../server/auth/principal.ts';
import type { ShownError } from '../errors/shown-error.ts';
import { timedId } from '../stored-json.ts';

/** The characters between columns that the page offers. */
export const delimiter = z.enum([',', ';', 'tab', '|']);

/** What a run was asked to do, as stored. */
export const storedRun = z.object({
  format: z.literal(1),
  id: timedId,
  /** The name of the key. */
  by: z.string(),
  report: reportId,
  /** The name of the uploaded file. */
  file: z.string(),
  /** The format of the file, once its first bytes have arrived. */
  file_format: z.enum(fileFormats).optional(),
  /** If it is not that of the file's name. */
  delimiter: delimiter.optional(),
  created_at: z.string(),
});
export type StoredRun = z.infer<typeof storedRun>;

/** The members of a summary (`runs/summary/summary.ts`) that the platform shows. */
export const runSummary = z.object({
  status: z.enum(['running', 'finished', 'skipped', 'stopped', 'refused']),
  error: z
    .object({
      code: z.string(),
      message: z.string(),
      hint: z.string().nullable(),
      line: z.number().nullable(),
    })
    .nullable(),
  finished_at: z.string().nullable(),
  rows: z.object({
    read: z.number(),
    scored: z.number(),
    rejected: z.number(),
    rejected_by: z.record(z.string(), z.number()),
  }),
  bytes_out: z.number(),
  seconds: z.number(),
});

/** A run and how far it is. */
export interface StoredProgress extends StoredRun, Omit<z.infer<typeof runSummary>, 'status' | 'error'> {
  /** `waiting` for its file; `interrupted` if its process was killed. */
  status: 'waiting' | 'running' | 'finished' | 'failed' | 'interrupted';
  problem: ShownError | null;
}

export const begin = (record: StoredRun): StoredProgress => ({
  ...record,
  status: 'waiting',
  rows: { read: 0, scored: 0, rejected: 0, rejected_by: {} },
  bytes_out: 0,
  seconds: 0,
  finished_at: null,
  problem: null,
});

/**
 * Keys see their own runs with reports that they still grant access to, but not those of a former key of the same name;
 * those that are not bound to reports see all.
 */
export const maySee = (
  { name, reports, created, canAccess }: Principal,
  { by, report, created_at }: StoredRun,
): boolean => reports === 'all' || (by === name && canAccess(report) && Date.parse(created_at) >= created);

const MAX_NAME = 150;

/** The name of a file as a browser gives it, without folders; its end is kept, because the dialect follows from it. */
export const fileNameOf = (given: string): string =>
  given.replace(/^.*[/\\]/, '').slice(-MAX_NAME) || 'personas.csv';

/** What to do about errors of runs, instead of the hints for the command line. */
export const runHints: Readonly<Record<string, string>> = {
  group_too_large: 'Write the file with smaller row groups.',
  missing_columns: 'Add what is missing to the file, if need be with empty values, or train without it.',
  too_many_mismatches: 'Check that this is the right file. The command line can score it all the same.',
  too_many_missing: 'Check that this is the right file. The command line can score it all the same.',
  too_many_unseen: 'Check that this is the right file. The command line can score it all the same.',
  unreadable_input: 'The file did not arrive whole. Score it again.',
};
