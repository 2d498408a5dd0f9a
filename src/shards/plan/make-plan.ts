import { createHash, randomBytes } from 'node:crypto';
import type { PredictionType } from '../../base/contract/predictions.ts';
import { namedProtocol } from '../../base/contract/protocol-names.ts';
import { RowcastError } from '../../base/errors.ts';
import { Interrupted, unlessStopped } from '../../base/interrupted.ts';
import type { RunValues } from '../../base/options/values/run-values.ts';
import { reportHash } from '../../runs/checkpoint/fingerprint.ts';
import { checkOutputName } from '../../runs/guards/check-output-name.ts';
import { encodedColumns, encoderFor, writtenFile } from '../../runs/output/written-file.ts';
import { outputOptionsOf } from '../../runs/several/output-options.ts';
import type { FilePair } from '../../runs/several/pair-files.ts';
import type { RunNote } from '../../runs/summary/summary.ts';
import { appendedFor } from '../../scoring/merge/appended-for.ts';
import { unknownClasses } from '../../scoring/merge/held-records.ts';
import { plannedPredictionType, prepare, type RowsPlan, withPredicted } from '../../scoring/prepare.ts';
import type { Scorer } from '../../scoring/scorer.ts';
import { stages } from '../../scoring/stages.ts';
import { type Backends, openSource } from '../../storage/backends.ts';
import { absoluteName } from '../../storage/folders.ts';
import type { Identity, Source } from '../../storage/source.ts';
import type { PlanFile, ShardPlan } from '../folder/plan-shape.ts';
import { planReuse } from '../reuse/planned-reuse.ts';
import { PARQUET } from './cut-shards.ts';
import type { PinnedOptions } from './pinned-options.ts';

export interface PlanWork {
  pairs: readonly FilePair[];
  /** Other inputs of the command, which are not scored. */
  unchanged: ShardPlan['unchanged'];
  /** The options of every input. */
  options: Omit<RunValues, 'input'>;
  pinned: PinnedOptions;
  /** The folder where the finished runs of several inputs are recorded. */
  ledger?: string | undefined;
  /** The output as it was written. */
  written?: string | undefined;
  /** The trace in which the run was planned; a new one if omitted. */
  trace?: string | undefined;
  shardBytes: number;
  /** The version of rowcast. */
  version: string;
  scorer: Scorer;
  stop: AbortSignal;
  /** Backends of the names of its files, if not the default ones. */
  backends?: Backends | undefined;
  note(warning: RunNote): void;
}

/**
 * Finds everything that can be wrong, as a run does before it writes anything, and everything that determines the
 * outputs. If nothing else says what is predicted, that of some rows is asked for.
 *
 * @throws RowcastError as `prepare` and `predictedType`; `usage` for an input that other machines cannot read
 */
export async function makePlan(work: PlanWork): Promise<ShardPlan> {
  const { pairs, options, pinned, ledger, shardBytes, version, stop, backends } = work;
  const { scorer } = work;
  const files: PlanFile[] = [];
  let report =
    pairs.length === 0
      ? reportHash(withPredicted(await unlessStopped(scorer.describe(options.report), stop), options))
      : '';
  let predictionType: PredictionType | undefined;
  for (const pair of pairs) {
    const source = await openSource(pair.input, false, options.encoding, backends, stop);
    try {
      const writes = writtenFile({ ...options, output: pair.output });
      const prepared = await prepare({ values: options }, { source, scorer, writes, stop });
      checkOutputName(pair.output, prepared.layout, writes);
      const identity = await unlessStopped(source.identify(), stop);
      report = reportHash(prepared.report);
      const reuse = await planReuse(work, pair, prepared, identity);
      predictionType ??= reuse?.prediction ?? (await predictedType(prepared, stop));
      // What can be wrong with the columns of the output.
      appendedFor({ ...prepared.values, ...prepared, planned: predictionType });
      await encoderFor(prepared, writes, predictionType);
      const file = planFile(pair, source, identity, { prepared, predictionType });
      files.push(reuse === undefined ? file : { ...file, reuse: reuse.planned });
    } finally {
      source.close();
    }
  }
  const identity = {
    format: 1 as const,
    version,
    service: scorer.name,
    ...namedProtocol(scorer.protocol),
    shard_bytes: shardBytes,
    files,
    report: { id: options.report, hash: report },
    ...(predictionType !== undefined && { predictionType }),
    options: pinned.options,
  };
  const id = createHash('sha256').update(JSON.stringify(identity)).digest('hex');
  return {
    ...identity,
    id,
    settings: pinned.settings,
    unchanged: work.unchanged,
    ...(work.written !== undefined && { written: work.written }),
    trace: work.trace ?? newTrace(),
    ledger: ledger === undefined ? null : { folder: ledger, options: outputOptionsOf(options, identity) },
  };
}

/** The trace of a sharded run as a `traceparent`. Nobody sends the span that it names. */
const newTrace = (): string => `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`;

function planFile(
  pair: FilePair,
  { version: { etag } }: Source,
  { size, modified, codec, footer }: Identity,
  { prepared, predictionType }: { prepared: RowsPlan; predictionType: PredictionType },
): PlanFile {
  const { layout } = prepared;
  const columns = encodedColumns(prepared, predictionType);
  if (size === null || modified === null)
    throw new RowcastError('usage', 'a pipe cannot be divided into shards', {
      location: { file: pair.input },
      hint: 'Write it to a file that all machines can read.',
    });
  const { input, output, rejects = null } = pair;
  return {
    input: absoluteName(input),
    output: absoluteName(output),
    rejects: rejects && absoluteName(rejects),
    size,
    modified,
    ...(etag !== undefined && { etag }),
    codec,
    ...(footer !== undefined && { footer }),
    format: layout.format,
    read_as: layout.readAs,
    may_join_lines: layout.mayJoinLines,
    header: createHash('sha256').update(layout.preamble).digest('hex'),
    ...(columns !== undefined && { columns }),
    // It depends on the columns that are scored.
    ...(codec === PARQUET && { rejects_header: layout.rejectsPreamble.toString() }),
  };
}

/** Opens an input of a plan. @throws RowcastError `input_changed` if it is no longer the one that was planned */
export async function openPlanned(
  file: PlanFile,
  encoding: string | undefined,
  among?: Backends,
  stop?: AbortSignal,
): Promise<Source> {
  const source = await openSource(file.input, false, encoding, among, stop);
  const { size, modified, etag } = source.version;
  if (size === file.size && modified === file.modified && etag === file.etag) return source;
  source.close();
  throw notPlanned(file, 'its size, time or version differs');
}

/** Checks what only a format knows of an input. @throws RowcastError `input_changed` */
export function checkFooter(file: PlanFile, { footer }: Pick<Identity, 'footer'>): void {
  if (footer !== file.footer) throw notPlanned(file, 'its footer differs');
}

const notPlanned = ({ input: file }: PlanFile, why: string): RowcastError =>
  new RowcastError('input_changed', `the input is not the one that was planned: ${why}`, {
    severity: 'stopped',
    location: { file },
    hint: 'Restore it, or discard the run with rowcast abort and plan again.',
  });

/** Rows that are scored to find out what is predicted: one request, of which some rows may be rejected. */
const ROWS = 100;

/**
 * What is appended to the outputs: as options or report say, else as the predictions of an input's first rows do. All
 * shards need it, because only the first one has a header, and perhaps no row that is scored.
 *
 * @param planned of an input whose beginning was read; it is read on only if that is needed
 * @throws Interrupted
 * @throws RowcastError `unknown_classes` if none of its first rows is scored; `bad_option` for an option that such
 *   predictions do not have; of the service
 */
async function predictedType(planned: RowsPlan, stop: AbortSignal): Promise<PredictionType> {
  const known = plannedPredictionType(planned);
  if (known !== undefined) return known;
  const { values, layout, rest } = planned;
  const first = { ...planned, values: { ...values, limit: Math.min(values.limit ?? ROWS, ROWS) } };
  const stopping = { reading: stop, calling: stop };
  try {
    for await (const piece of stages({}, first, { rest, start: layout.start, stop: stopping }))
      if (piece.predictionType !== undefined) return piece.predictionType;
  } catch (error) {
    throw stop.aborted ? new Interrupted(stop) : error;
  }
  throw stop.aborted ? new Interrupted(stop) : unknownClasses();
}
