import { RowcastError } from '../../base/errors.ts';
import type { Comparison } from '../../formats/comparison.ts';
import type { Layout, RejectsFile } from '../../formats/format.ts';
import type { AppendedCheck } from '../verify/check-appended.ts';
import { appendedCheckOf, compareHeaders, type OutputShape } from '../verify/compare-header.ts';
import { mismatch } from '../verify/mismatch.ts';

/**
 * The rejects file that a layout is of.
 *
 * @param file its name
 * @throws RowcastError `difference` if it is not a rejects file
 */
export function rejectsFileOf(rejects: Layout, file: string, shape: OutputShape): RejectsFile {
  const found = rejects.asRejects(shape, file);
  if (found !== undefined) return found;
  throw mismatch('the header is not that of a rejects file', { file, line: 1 });
}

/** @throws RowcastError `difference` unless two rejects files have the same columns */
export function checkRejects(rejects: RejectsFile, other: Layout, file: string): void {
  if (rejects.hasColumnsOf(other)) return;
  throw mismatch('the header is not that of the rejects file', { file, line: 1 });
}

export interface RepairLayouts {
  rejects: RejectsFile;
  output: Layout;
  corrected: Layout;
}

/** The names of the files, for messages. */
export type RepairNames = Readonly<Record<keyof RepairLayouts, string>>;

/** How the fields of corrections are found and checked. */
export interface CorrectionChecks {
  comparison: Comparison;
  appended: AppendedCheck;
}

/**
 * Checks that the corrections have the columns of the output after those of a rejects file.
 *
 * @param shape the options of the run
 * @throws RowcastError `bad_corrections`, `difference`
 */
export function checkCorrections(
  { rejects, output, corrected }: RepairLayouts,
  names: RepairNames,
  shape: OutputShape,
): CorrectionChecks {
  if (shape.outputHeader !== false) {
    const comparison = rejects.input.compareWith(output, names.rejects);
    compareHeaders(comparison, { input: names.rejects, output: names.output }, shape);
  }
  const comparison = rejects.compareCorrections(corrected, output, names.output);
  if ('wrong' in comparison) throw otherColumns(names.corrected, comparison.wrong);
  try {
    return { comparison, appended: appendedCheckOf(comparison, names.corrected, shape) };
  } catch (error) {
    throw error instanceof RowcastError ? otherColumns(names.corrected, error.message) : error;
  }
}

const otherColumns = (file: string, message: string): RowcastError =>
  new RowcastError('bad_corrections', message, {
    location: { file, line: 1 },
    hint: 'Score the corrected rejects file with the options that the output was scored with.',
  });
