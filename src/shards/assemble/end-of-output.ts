import type { RunValues } from '../../base/options/values/run-values.ts';
import { readLayout } from '../../formats/formats.ts';
import { fileEncoder, writtenFile } from '../../runs/output/written-file.ts';
import type { Backends } from '../../storage/backends.ts';
import { checkFooter, openPlanned } from '../plan/make-plan.ts';
import type { FileParts } from './file-parts.ts';

/**
 * What an output has after its last part: nothing, unless it is a file of groups of rows, whose parts have no end of their own.
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
    const encoder = await fileEncoder(layout, { ...options, columns }, writes);
    return Buffer.concat([...(encoder?.end(parts.flatMap(({ result }) => result.output.notes ?? [])) ?? [])]);
  } finally {
    source.close();
  }
}
