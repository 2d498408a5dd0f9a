import type { RunValues } from '../../base/options/values/run-values.ts';
import { readLayout } from '../../formats/formats.ts';
import { fileEncoder, writtenFile } from '../../runs/output/written-file.ts';
import type { Backends } from '../../storage/backends.ts';
import { isStored } from '../folder/part-output.ts';
import { checkFooter, openPlanned } from '../plan/make-plan.ts';
import type { FileParts } from './file-parts.ts';

/**
 * What an output has after its last part: nothing, unless it is a file of groups of rows, whose parts have no end of
 * their own.
 *
 * @throws RowcastError `input_changed`
 */
export async function endOfOutput(
  { file, parts }: FileParts,
  options: Omit<RunValues, 'input'>,
  among: Backends,
): Promise<Buffer> {
  const { columns, output } = file;
  if (columns === undefined) return Buffer.alloc(0);
  const writes = writtenFile({ ...options, output });
  const source = await openPlanned(file, options.encoding, among);
  try {
    // Nothing but the footer is read of it.
    const reading = { ...options, writes, maxGroupBytes: Number.POSITIVE_INFINITY };
    const { layout } = await readLayout(source, reading);
    checkFooter(file, await source.identify());
    const encoderOf = await fileEncoder(layout, options, writes);
    const notes = parts.flatMap(({ result }) => result.output.notes ?? []);
    return Buffer.concat([...(encoderOf?.(columns).end(notes) ?? [])]);
  } finally {
    source.close();
  }
}

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
