import type { PredictionType } from '../../base/contract/predictions.ts';
import type { RunValues } from '../../base/options/values/run-values.ts';
import { keepMade } from '../../runs/reuse/keep-made.ts';
import { checkPlanned } from '../../runs/reuse/made-by.ts';
import { plannedFiles } from '../../runs/reuse/planned-files.ts';
import type { RunTracker } from '../../runs/run-tracker.ts';
import type { FilePair } from '../../runs/several/pair-files.ts';
import type { RunNote } from '../../runs/summary/summary.ts';
import type { RowsPlan } from '../../scoring/prepare.ts';
import { type Backends, backends as defaultBackends, versionOf } from '../../storage/backends.ts';
import { codecOfName } from '../../storage/codecs/codecs.ts';
import { none } from '../../storage/codecs/none.ts';
import { absoluteName } from '../../storage/folders.ts';
import type { Identity } from '../../storage/source.ts';
import type { FileParts } from '../assemble/file-parts.ts';
import type { PlanFile } from '../folder/plan-shape.ts';

interface ReusePlanning {
  options: Omit<RunValues, 'input'>;
  stop: AbortSignal;
  backends?: Backends | undefined;
  note(warning: RunNote): void;
}

/**
 * Finds the earlier outputs of an input, once for all of its shards.
 *
 * @returns undefined without --reuse; `prediction` is what their predictions consist of
 * @throws RowcastError as `earlierFiles`
 */
export async function planReuse(
  { options, stop, backends = defaultBackends, note }: ReusePlanning,
  { output, reuse }: FilePair,
  prepared: RowsPlan,
  input: Identity,
): Promise<{ planned: NonNullable<PlanFile['reuse']>; prediction: PredictionType | undefined } | undefined> {
  // A single input has no names of its own.
  const earlierNames = reuse ?? (options.reuse === undefined ? undefined : [options.reuse].flat());
  const names = { input: input.path, output: absoluteName(output), reuse: earlierNames?.map(absoluteName) };
  const found = await plannedFiles({ ...options, ...names }, prepared, input, { backends, stop, note });
  if (found === undefined) return undefined;
  const { now, files } = found;
  const earlier = files.map(
    ({ file, made: { run_id, predicted_at }, version: { size, modified, etag } }) => ({
      file,
      run_id,
      predicted_at,
      size,
      modified,
      ...(etag !== undefined && { etag }),
    }),
  );
  return { planned: { made_by: now, earlier }, prediction: files[0]?.made.prediction };
}

/** Checks that this machine sees the earlier outputs of a plan. @throws RowcastError as `checkPlanned` */
export async function checkPlannedReuse(files: readonly PlanFile[], among?: Backends): Promise<void> {
  for (const { reuse } of files)
    for (const earlier of reuse?.earlier ?? []) checkPlanned(earlier, await versionOf(earlier.file, among));
}

/** Writes beside an output whose parts are joined what made it, so that it can be reused. */
export async function keepJoined(tracker: RunTracker, parts: FileParts, backends: Backends): Promise<void> {
  const { file, rowCounts } = parts;
  const { predictionType: prediction, checksums } = tracker;
  if (file.reuse === undefined || prediction === undefined) return;
  await keepMade(tracker, backends, {
    output: file.output,
    prediction,
    ...file.reuse,
    rowCounts,
    checksums,
    places: placesOf(parts),
  });
}

/** Where the parts of an output begin; undefined if it is compressed or no text. */
function placesOf({ file, parts }: FileParts): { offset: number; row: number }[] | undefined {
  if (file.columns !== undefined || codecOfName(file.output).name !== none.name) return undefined;
  let [offset, row] = [0, 1];
  return parts.map(({ result, end }) => {
    const place = { offset, row };
    offset += result.output.bytes;
    ({ row } = end);
    return place;
  });
}
