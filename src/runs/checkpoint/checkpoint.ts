import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { defaultProtocol } from '../../base/contract/protocol-names.ts';
import { RowcastError } from '../../base/errors.ts';
import { counted, countOf } from '../../base/number-text.ts';
import type { HistoryValues } from '../../base/options/values/run-values.ts';
import { sanitize } from '../../base/sanitize.ts';
import { readAsText } from '../../formats/read-options.ts';
import { tallyShape } from '../../scoring/counting/run-tally.ts';
import { predictionTypeShape, rowCountsShape } from '../../scoring/row-counts.ts';
import type { DurableOutput } from '../../storage/durable-output.ts';
import type { Json } from '../../storage/partial-file.ts';
import { type Attempt, attemptShape } from '../attempt.ts';
import { parseCheckpoint } from './checkpoint-bytes.ts';

/** Identifies a run. If any of this differs, a checkpoint belongs to a different run and is not resumed. */
export const fingerprintShape = z.strictObject({
  input: z.strictObject({
    /** Absolute path or `stdin`. */
    path: z.string(),
    /** Bytes, null for a pipe. */
    size: z.number().nullable(),
    /** Modification time in milliseconds, null for a pipe. */
    modified: z.number().nullable(),
    /** The version that an object store gives, if it does. */
    etag: z.string().exactOptional(),
    /** Name of the compression. */
    codec: z.string(),
    /** SHA-256 of the footer of an input that is not text. */
    footer: z.string().exactOptional(),
    /** The part of it that the run reads, unless it is all of it: offsets of its first byte and of the one after it. */
    range: z.strictObject({ start: z.number(), end: z.number().nullable() }).exactOptional(),
  }),
  /** Name of the input's format, and the options of the format that it is read with. */
  format: z.string(),
  readAs: z.record(z.string(), z.union([z.string(), z.boolean()])),
  /** `local`, or the base URL. */
  service: z.string(),
  /** Name of the protocol, if it is not that of the prediction report API. */
  protocol: z.string().exactOptional(),
  /** The report's id, and the SHA-256 of its description: a retrained report is a different one. */
  report: z.strictObject({ id: z.string(), hash: z.string() }),
  /** Option that affects the output → its value as JSON. */
  options: z.record(z.string(), z.string()),
});
export type Fingerprint = z.infer<typeof fingerprintShape>;

const historyShape: z.ZodType<HistoryValues> = z.strictObject({
  path: z.union([z.string(), z.array(z.string())]),
  sha256: z.string(),
});

/** The shape of a `StoredExtent`. */
const extentShape = {
  bytes: z.number(),
  tail: z.string(),
  state: (z.json() as z.ZodType<Json>).exactOptional(), // only mutability differs
  carried: z.instanceof(Buffer).exactOptional(),
  notes: (z.array(z.string()) as z.ZodType<readonly string[]>).exactOptional(),
};

/** Incremented when a version cannot resume the checkpoints of the version before it. */
export const FORMAT = 1;

/**
 * The durable progress of a run: all that is needed to resume it. Its size does not grow with the input, but for the
 * notes of groups.
 */
export const checkpointShape = z.strictObject({
  format: z.literal(FORMAT),
  /** `complete`: everything is written, only the renames remain. */
  state: z.enum(['running', 'complete']),
  /** The process that wrote it. */
  attempt: attemptShape,
  fingerprint: fingerprintShape,
  /** The history of a definition that trains the report again when its bytes change. */
  history: historyShape.exactOptional(),
  /** Start of the next record. */
  position: z.strictObject({ offset: z.number(), row: z.number(), line: z.number() }),
  /** Where reading begins that goes on at that position, in an input that is not text. */
  entry: z.strictObject({ offset: z.number(), group: z.number() }).exactOptional(),
  /** Digest of the input up to that position. */
  prefix: z.strictObject({ offset: z.number(), blocks: z.string(), digest: z.string() }),
  /**
   * The durable bytes of the output, also before compression; anything after them is given up on resume. `open` is the
   * text that follows them, of a member or group that is not complete.
   */
  output: z.strictObject({
    ...extentShape,
    uncompressed: z.number(),
    open: z.instanceof(Buffer).exactOptional(),
  }),
  rejects: z.strictObject(extentShape),
  /** Only a repair has these: the file of the rows that were repaired, and what its ledger records. */
  repaired: z
    .strictObject({
      bytes: z.number(),
      tail: z.string(),
      /** Rows that are still rejected. */
      left: z.number(),
      /** The output that is replaced. */
      before: z.strictObject({ size: z.number(), modified: z.number() }).exactOptional(),
    })
    .exactOptional(),
  /** What the output's header says; it is written before the first checkpoint. */
  predictionType: predictionTypeShape.exactOptional(),
  rowCounts: rowCountsShape,
  /** Why the process that wrote it stopped, if the same command would stop again. */
  stopped: z
    .strictObject({ code: z.string(), message: z.string(), hint: z.string().exactOptional() })
    .exactOptional(),
  /** What was counted in the data. A repair and the joining of shards count nothing. */
  tally: tallyShape.exactOptional(),
});
export type Checkpoint = z.infer<typeof checkpointShape>;

/** The member that all formats have in common. */
const formatShape = z.looseObject({ format: z.number() });

/**
 * Parses a checkpoint.
 *
 * @param file for messages
 * @throws RowcastError `bad_checkpoint`
 */
export function readCheckpoint(bytes: Buffer | string, file: string): Checkpoint {
  const parsed = parseCheckpoint(Buffer.from(bytes));
  const checked = checkpointShape.safeParse(parsed);
  if (checked.success) return checked.data;
  const { data: { format } = {} } = formatShape.safeParse(parsed);
  if (format !== undefined && format !== FORMAT)
    throw new RowcastError(
      'bad_checkpoint',
      `the checkpoint has format ${format}, but this version of rowcast can only resume format ${FORMAT}`,
      {
        location: { file },
        hint: `Finish the run with the ${format < FORMAT ? 'older' : 'newer'} version that started it, or use --restart to start from the first row.`,
      },
    );
  throw new RowcastError('bad_checkpoint', 'not a valid checkpoint for this version of rowcast', {
    location: { file },
    hint: 'Use --restart to start from the first row.',
  });
}

/** How a run resumes: by seeking in the input, or by reading the consumed input again to check that it is unchanged. */
export type ResumeMethod = 'seek' | 'read';

/**
 * Decides how a run resumes from a checkpoint.
 *
 * @throws RowcastError `other_work`, naming the differences
 */
export function chooseResumeMethod(saved: Fingerprint, now: Fingerprint, output: string): ResumeMethod {
  const differences = [...differencesOf(saved, now)];
  if (differences.length === 1 && isResized(saved.input, now.input))
    throw new RowcastError(
      'other_work',
      `the input has changed since the unfinished run began: it had ${countOf(saved.input.size ?? 0, 'byte')}, now it has ${counted(now.input.size ?? 0)}`,
      {
        location: { file: output },
        hint: `${RESTART_IF_CHANGED}.`,
      },
    );
  if (differences.length > 0)
    throw new RowcastError(
      'other_work',
      isRetrainedOnly(saved, now)
        ? `${differences.join('; ')} since the unfinished run began`
        : `an unfinished run of a different command exists (${differences.join('; ')})`,
      {
        location: { file: output },
        hint: isRetrainedOnly(saved, now)
          ? `${RESTART_IF_CHANGED}.`
          : `Rerun the original command to resume it. Or score from the first row: ${RESTART_IF_CHANGED.toLowerCase()}.`,
      },
    );
  return isSameVersion(saved.input, now.input) ? resumeMethodOf(now) : 'read';
}

const RESTART_IF_CHANGED =
  'Use --restart-if-changed, which keeps that run until this one finishes, or --restart, which discards it';

/** Whether only the report has changed under its name, so that there is no command that resumes the run. */
const isRetrainedOnly = (saved: Fingerprint, now: Fingerprint): boolean =>
  saved.report.id === now.report.id && [...differencesOf({ ...saved, report: now.report }, now)].length === 0;

/** How a run resumes if its input was not modified. */
export const resumeMethodOf = ({ input, options }: Fingerprint): ResumeMethod =>
  input.size !== null && SOUGHT.has(input.codec) && options['--encoding'] === undefined ? 'seek' : 'read';

/** The codecs of files that can be read from the middle. */
const SOUGHT: ReadonlySet<string> = new Set(['none', 'parquet']);

type Input = Fingerprint['input'];

const isSameVersion = (a: Input, b: Input): boolean =>
  a.path === b.path && a.modified === b.modified && a.etag === b.etag;

const isSameInput = (a: Input, b: Input): boolean =>
  a.size === b.size && a.codec === b.codec && isDeepStrictEqual(a.range, b.range);

/** Whether it is the same file with another size. */
const isResized = (a: Input, b: Input): boolean =>
  a.path === b.path && a.size !== b.size && a.size !== null && isSameInput({ ...a, size: b.size }, b);

export function* differencesOf(saved: Fingerprint, now: Fingerprint): Generator<string> {
  if (!isSameInput(saved.input, now.input))
    yield `the input was ${inputText(saved.input, now.input)}, now it is ${inputText(now.input, saved.input)}`;
  else if (saved.input.footer !== now.input.footer)
    yield 'the footer of the input, which describes its columns and row groups, has changed';
  if (saved.format !== now.format) yield `the input was read as ${saved.format}, now as ${now.format}`;
  else if (!isDeepStrictEqual(saved.readAs, now.readAs))
    yield `the input was read with ${readAsText(saved.readAs)}, now with ${readAsText(now.readAs)}`;
  if (saved.service !== now.service) yield `the service was ${saved.service}, now it is ${now.service}`;
  const [before = defaultProtocol, protocol = defaultProtocol] = [saved.protocol, now.protocol];
  if (before !== protocol) yield `the protocol was ${before}, now it is ${protocol}`;
  if (saved.report.id !== now.report.id)
    yield `the report was ${saved.report.id}, now it is ${now.report.id}`;
  else if (saved.report.hash !== now.report.hash) yield `the report ${now.report.id} has changed`;
  for (const name of new Set([...Object.keys(saved.options), ...Object.keys(now.options)])) {
    const [before, after] = [saved.options[name] ?? 'not given', now.options[name] ?? 'not given'];
    if (before !== after) yield `${name} was ${before}, now it is ${after}`;
  }
}

/** @param other which it is compared with */
function inputText(input: Input, other: Input): string {
  const { size, range, codec } = input;
  const what = codec === 'none' ? 'plain' : codec;
  const part = range === undefined ? '' : `, from byte ${range.start} to ${range.end ?? 'its end'}`;
  const text = (size === null ? `a ${what} pipe` : `a ${what} file of ${countOf(size, 'byte')}`) + part;
  return input.path === other.path ? text : `${sanitize(input.path)}, ${text}`;
}

/**
 * The process that wrote the checkpoint of an unfinished run; undefined if there is none. A checkpoint that cannot be
 * read is reported by the run itself.
 */
export async function savedAttempt({ checkpoint }: DurableOutput): Promise<Attempt | undefined> {
  try {
    const bytes = await checkpoint.read();
    if (bytes === undefined) return undefined;
    const { state, attempt } = readCheckpoint(bytes, checkpoint.name);
    return state === 'running' ? attempt : undefined;
  } catch {
    return undefined;
  }
}
