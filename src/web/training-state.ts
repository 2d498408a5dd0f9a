import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { reportId } from '../base/contract/schemas.ts';
import { type ToldError, tellError } from './errors/told-error.ts';

/** Sorts by time of creation. */
export const trainingId = z.string().regex(/^[0-9a-f]{20}$/);

const MILLISECOND_DIGITS = 12;

export const newTrainingId = (): string =>
  Date.now().toString(16).padStart(MILLISECOND_DIGITS, '0') + randomBytes(4).toString('hex');

/** Why a training ended without a report. */
const problem = z.object({ code: z.string(), message: z.string(), hint: z.string().nullable() });

/** A training, as stored. */
export const trainingState = z.object({
  format: z.literal(1),
  id: trainingId,
  /** The name of the key that started it. */
  by: z.string(),
  /** The uploaded data, which may have been deleted since. */
  data: z.object({ id: z.string(), name: z.string() }),
  /** The column to predict. */
  column: z.string(),
  /** The id of the report. */
  report: reportId,
  /** `running` in a file means that it was running when the file was written. */
  status: z.enum(['running', 'finished', 'failed', 'cancelled', 'interrupted']),
  started_at: z.string(),
  /** Null while it is running, and if nobody knows. */
  finished_at: z.string().nullable(),
  problem: problem.nullable(),
});
export type TrainingState = z.infer<typeof trainingState>;

/** A training and what it is doing. */
export interface TrainingProgress extends TrainingState {
  /** What it is doing, in a few words; null unless it is running in this process. */
  step: string | null;
  /** How many of the steps it has begun, of `STAGES`. */
  stage: number;
}

/** The beginnings of what training tells about its steps, in their order (`training/fit.ts`). */
const stages = ['reading', 'comparing', 'training on 80', 'measuring', 'training on all'];
export const STAGES = stages.length;

/** The progress of a running training that has begun a step. */
export function atStep(state: TrainingState, step: string): TrainingProgress {
  return { ...state, step, stage: stages.findIndex(beginning => step.startsWith(beginning)) + 1 };
}

/** A training of which nothing more is known: it has ended, or runs in another process. */
export const withoutStep = (state: TrainingState): TrainingProgress => ({ ...state, step: null, stage: 0 });

/** For those who cannot use the options that hints of the command line name. */
export const trainingHints: Readonly<Record<string, string>> = {
  numeric_target:
    'Choose a number of ranges, and the report predicts which of them a number falls into. If the numbers are codes of classes, add a letter, such as c12.',
  too_many_classes: 'Merge rare classes in the file and upload it again. Numbers can be divided into ranges.',
  not_numbers: 'Leave the number of ranges empty to predict the values as classes.',
  report_exists: 'Choose another report ID, or choose to replace the report.',
  out_of_memory:
    'Exclude columns that do not matter, or give the service more memory, in MB: NODE_OPTIONS=--max-old-space-size=8192.',
  disk_full: 'The disk of the service is full. Free some space, then try again.',
  unwritable_home: 'Check the disk and the permissions of the folder that the service uses.',
};

/** What to tell about an error of a training. */
export const problemOfTraining = (error: unknown): ToldError => tellError(error, trainingHints);
