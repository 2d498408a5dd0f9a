import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { RowcastError } from '../../errors.ts';
import { accountsShape } from '../accounts.ts';

/** What makes a run the same run: where it differs, its checkpoint is of other work (G8). */
export const fingerprintShape = z.strictObject({
  input: z.strictObject({
    /** Absolute path, or `stdin`. */
    path: z.string(),
    /** Bytes, null for a pipe. */
    size: z.number().nullable(),
    /** Milliseconds, null for a pipe. */
    modified: z.number().nullable(),
    gzip: z.boolean(),
  }),
  dialect: z.strictObject({ delimiter: z.string(), quote: z.string().nullable(), loneCr: z.boolean() }),
  /** `embedded`, or the base URL. */
  service: z.string(),
  /** The report's id and SHA-256 of what the service tells of it: one that was trained again is another. */
  report: z.strictObject({ id: z.string(), hash: z.string() }),
  /** Options that change the output → their values as JSON. */
  options: z.record(z.string(), z.string()),
});
export type Fingerprint = z.infer<typeof fingerprintShape>;

/**
 * Counts up when a checkpoint of an earlier version cannot be resumed any more. Format 1, of version 0.1.0 before its
 * release, could end a gzip member inside a row and had no digests of the files' ends.
 */
export const FORMAT = 2;

/** How far a run is, durably: all that it needs to resume. Its size does not grow with the input. */
export const checkpointShape = z.strictObject({
  format: z.literal(FORMAT),
  /** `complete`: everything is written, and only renames are left. */
  state: z.enum(['running', 'complete']),
  fingerprint: fingerprintShape,
  /** Where the next record begins. */
  position: z.strictObject({ offset: z.number(), row: z.number(), line: z.number() }),
  /** Digest of the input up to there. */
  prefix: z.strictObject({ offset: z.number(), blocks: z.string(), digest: z.string() }),
  output: z.strictObject({
    /** Bytes of OUTPUT.partial that are durable; what is beyond them is cut off. */
    bytes: z.number(),
    /** The same before compression. */
    uncompressed: z.number(),
    /** SHA-256 of their last TAIL_BYTES, as they were written, hex. */
    tail: z.string(),
  }),
  /** The same of the rejects file. */
  rejects: z.strictObject({ bytes: z.number(), tail: z.string() }),
  classes: z.array(z.string()),
  accounts: accountsShape,
});
export type Checkpoint = z.infer<typeof checkpointShape>;

/** What every format has. */
const formatShape = z.looseObject({ format: z.number() });

/**
 * A checkpoint from its file.
 *
 * @throws RowcastError `bad_checkpoint`
 */
export function readCheckpoint(text: string, file: string): Checkpoint {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // Said below.
  }
  const checked = checkpointShape.safeParse(parsed);
  if (checked.success) return checked.data;
  const { data: { format } = {} } = formatShape.safeParse(parsed);
  if (format !== undefined && format !== FORMAT)
    throw new RowcastError(
      'bad_checkpoint',
      `the checkpoint has format ${format}, but this version of rowcast resumes format ${FORMAT}`,
      {
        location: { file },
        hint: `Finish the run with the ${format < FORMAT ? 'older' : 'newer'} version that started it, or give --restart to score from the first row again.`,
      },
    );
  throw new RowcastError('bad_checkpoint', 'not a valid checkpoint', {
    location: { file },
    hint: 'Give --restart to score from the first row again.',
  });
}

/** How a run is taken up: at once, or after its consumed input was read again and found to be the same. */
export type ResumeMethod = 'seek' | 'read';

/**
 * Whether a run goes on from a checkpoint, and how.
 *
 * @throws RowcastError `other_work` that says what differs
 */
export function chooseResumeMethod(saved: Fingerprint, now: Fingerprint, file: string): ResumeMethod {
  const differences = [...differencesOf(saved, now)];
  if (differences.length > 0)
    throw new RowcastError(
      'other_work',
      `an unfinished run of other work is there: ${differences.join('; ')}`,
      {
        location: { file },
        hint: 'Run the command that it belongs to, or give --restart to begin anew.',
      },
    );
  const { path, modified } = now.input;
  return saved.input.path === path && saved.input.modified === modified ? resumeMethodOf(now) : 'read';
}

/** How a run over an input that was not touched is taken up. */
export const resumeMethodOf = ({ input: { size, gzip } }: Fingerprint): ResumeMethod =>
  size !== null && !gzip ? 'seek' : 'read';

function* differencesOf(saved: Fingerprint, now: Fingerprint): Generator<string> {
  if (saved.input.size !== now.input.size || saved.input.gzip !== now.input.gzip)
    yield `the input was ${inputText(saved.input)}, it is ${inputText(now.input)}`;
  if (!isDeepStrictEqual(saved.dialect, now.dialect))
    yield `the input was read with ${dialectText(saved.dialect)}, now with ${dialectText(now.dialect)}`;
  if (saved.service !== now.service) yield `the service was ${saved.service}, it is ${now.service}`;
  if (saved.report.id !== now.report.id) yield `the report was ${saved.report.id}, it is ${now.report.id}`;
  else if (saved.report.hash !== now.report.hash) yield `the report ${now.report.id} has changed`;
  for (const name of new Set([...Object.keys(saved.options), ...Object.keys(now.options)])) {
    const [before, after] = [saved.options[name] ?? 'not given', now.options[name] ?? 'not given'];
    if (before !== after) yield `${name} was ${before}, it is ${after}`;
  }
}

/** A dialect as the flags that it can be given with. */
export function dialectText({ delimiter, quote, loneCr }: Fingerprint['dialect']): string {
  const ending = loneCr ? ', records that end in CR' : '';
  return `--delimiter ${delimiter === '\t' ? 'tab' : inQuotes(delimiter)}, --quote ${quote === null ? 'none' : inQuotes(quote)}${ending}`;
}

/** As a shell takes it. */
const inQuotes = (character: string): string => (character === "'" ? `"'"` : `'${character}'`);

function inputText({ size, gzip }: Fingerprint['input']): string {
  const what = gzip ? 'gzip' : 'plain';
  return size === null ? `a ${what} pipe` : `a ${what} file of ${size} bytes`;
}
