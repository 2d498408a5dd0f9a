import { RowcastError } from '../../base/errors.ts';
import { Interrupted } from '../../base/interrupted.ts';
import type { RunValues } from '../../base/options/values/run-values.ts';
import { type Backends, openSource, sha256Of } from '../../storage/backends.ts';
import type { Identity } from '../../storage/source.ts';
import { PrefixDigest } from '../checkpoint/prefix-digest.ts';
import type { LastRun } from '../summary/last-run.ts';
import type { RunNote } from '../summary/summary.ts';

/** Enough to tell the bytes of inputs apart. */
const HEX_DIGITS = 32;

/**
 * The digest of an input that a run has read to its end; see `Summary.digest`. That of text was computed while it was
 * read. Any other file is read again, unless its store tells its versions apart.
 *
 * @param text digest of the text
 * @returns undefined if the size of the input is not known
 */
export async function digestOfInput(
  { size, etag, footer }: Identity,
  text: () => Promise<string>,
  sha256: () => Promise<string | null>,
): Promise<string | undefined> {
  if (size === null) return undefined;
  const hash = footer === undefined ? await text() : (etag ?? (await sha256()));
  return hash === null ? undefined : `${size}:${hash.slice(0, HEX_DIGITS)}`;
}

interface ComparedInput {
  options: Pick<RunValues, 'input' | 'encoding' | 'ifSameAsLast'>;
  input: Identity;
  /** The last good run, and the digests of the inputs that had rows in it. */
  last: Pick<LastRun, 'finished_at' | 'digests'> | null | undefined;
  backends: Backends | undefined;
  stop: AbortSignal;
  note: (warning: RunNote) => void;
}

/**
 * Notices an input with the bytes of one of the last good run. It is read for that only if its size is the same.
 *
 * @returns whether it is to be skipped
 * @throws RowcastError `same_as_last`; Interrupted
 */
export async function skipsSameInput(compared: ComparedInput): Promise<boolean> {
  const { options, input, last, backends, stop, note } = compared;
  const { size } = input;
  if (size === null || !last?.digests.some(digest => digest.startsWith(`${size}:`))) return false;
  const digest = await digestToBe(options, input, backends, stop);
  if (digest === undefined || !last.digests.includes(digest)) return false;
  const message = `the input has the same bytes as an input of the last good run, which finished at ${last.finished_at}`;
  if (options.ifSameAsLast === 'fail')
    throw new RowcastError('same_as_last', message, {
      severity: 'stopped',
      location: { file: options.input },
      hint: 'Check that the new rows have arrived. To score these again, use --if-same-as-last warn.',
    });
  const isSkipped = options.ifSameAsLast === 'skip';
  note({
    code: 'same_as_last',
    message: `${options.input}: ${message}${isSkipped ? '; it is skipped' : ''}`,
  });
  return isSkipped;
}

/**
 * The digest that an input will have once it has been read to its end, from a reading of its own.
 *
 * @returns undefined if its size is not known
 * @throws RowcastError what reading it throws; Interrupted
 */
export const digestToBe = (
  options: Pick<RunValues, 'input' | 'encoding'>,
  identity: Identity,
  backends: Backends | undefined,
  stop: AbortSignal,
): Promise<string | undefined> =>
  digestOfInput(
    identity,
    () => textDigest(options, backends, stop),
    () => sha256Of(options.input, backends),
  );

async function textDigest(
  { input, encoding }: Pick<RunValues, 'input' | 'encoding'>,
  backends: Backends | undefined,
  stop: AbortSignal,
): Promise<string> {
  const source = await openSource(input, false, encoding, backends);
  const digest = new PrefixDigest();
  try {
    for (let next = await source.chunks.next(); !next.done; next = await source.chunks.next()) {
      if (stop.aborted) throw new Interrupted(stop);
      digest.update(next.value);
    }
    return digest.state().digest;
  } finally {
    source.close();
  }
}
