import type { RunValues } from '../../base/options/values/run-values.ts';
import { readLayout } from '../../formats/formats.ts';
import type { Backends } from '../../storage/backends.ts';
import { isStored } from '../folder/part-output.ts';
import { openPlanned } from '../plan/make-plan.ts';
import type { FileParts } from './file-parts.ts';

/**
 * What the rejects file of an input begins with, if it has one.
 *
 * @throws RowcastError `input_changed`
 */
export async function rejectsHeaderOf(
  { file, rowCounts }: FileParts,
  options: Omit<RunValues, 'input'>,
  among: Backends,
): Promise<Buffer> {
  // In a store, a header replaces the rejects of an earlier run.
  if (rowCounts.rejected === 0 && file.rejects === null && !isStored(file.output)) return Buffer.alloc(0);
  if (file.rejects_header !== undefined) return Buffer.from(file.rejects_header);
  const source = await openPlanned(file, options.encoding, among);
  try {
    const { layout } = await readLayout(source, options);
    return layout.rejectsPreamble;
  } finally {
    source.close();
  }
}
