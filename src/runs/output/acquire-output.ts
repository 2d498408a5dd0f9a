import { isDeepStrictEqual } from 'node:util';
import { RowcastError } from '../../base/errors.ts';
import type { RunValues } from '../../base/options/values/run-values.ts';
import type { Backends } from '../../storage/backends.ts';
import { codecOfName } from '../../storage/codecs/codecs.ts';
import { groupedPartial } from '../../storage/codecs/grouped-partial.ts';
import { none } from '../../storage/codecs/none.ts';
import { type DurableOutput, NOTHING_WRITTEN } from '../../storage/durable-output.ts';
import { unwritable } from '../../storage/target.ts';
import {
  type Checkpoint,
  chooseResumeMethod,
  type Fingerprint,
  readCheckpoint,
  resumeMethodOf,
} from '../checkpoint/checkpoint.ts';
import { REJECTS_OPTION, relativeRejectsPath } from '../checkpoint/fingerprint.ts';
import type { LockedPaths } from '../paths/lock-paths.ts';
import { previousRejectsOf, removeSetAside } from '../paths/previous-rejects.ts';
import { publish } from '../paths/publish.ts';
import { runOutputsOf } from '../paths/run-files.ts';
import type { Mark } from './checkpoint-saver.ts';
import {
  type AcquiredOutput,
  acquireSink,
  type Output,
  type PreviousRun,
  type RunIdentity,
  type WrittenExtents,
} from './output.ts';
import { RejectsOutput } from './rejects-output.ts';
import { attemptAfter, type ResumableOutputOptions, resumableOutput } from './resumable-output.ts';

interface AcquireOptions
  extends Omit<ResumableOutputOptions, 'outputs' | 'backends'>,
    Pick<RunValues, 'checksum'> {
  locked: LockedPaths;
  /** Aborts waiting for a reader of a FIFO. */
  stop: AbortSignal | undefined;
}

/**
 * Acquires the output of a run: a durable one, or a stream such as stdout, a FIFO or a device.
 *
 * @returns undefined if OUTPUT exists and `ifExists` is `skip`
 */
export async function acquireOutput(options: AcquireOptions): Promise<AcquiredOutput | undefined> {
  const { locked, stop, checksum } = options;
  const { output, rejects, backends } = locked;
  if (output.durable === undefined)
    return acquireSink(() => output.open(stop), rejects && (() => rejects.open(stop)), checksum);
  return acquireDurable({ ...options, outputs: runOutputsOf(output.durable, rejects?.durable), backends });
}

/**
 * Acquires a durable output whose lock is held. If an earlier run has only to be published, that is done first.
 *
 * @returns undefined if OUTPUT exists and `ifExists` is `skip`
 * @throws RowcastError `output_exists`, `bad_checkpoint`, `unwritable_output`
 */
export async function acquireDurable(options: ResumableOutputOptions): Promise<AcquiredOutput | undefined> {
  const { outputs, backends, ifExists, restart } = options;
  const { output, rejects, hasDefaultRejects } = outputs;
  const { checkpoint, name } = output;
  const named = unlessNamed(name);
  const bytes = restart ? undefined : await checkpoint.read().catch(named);
  const saved = bytes && readCheckpoint(bytes, checkpoint.name);
  const finished = saved?.state === 'complete' ? saved : undefined;
  const given = hasDefaultRejects ? undefined : rejects.address;
  if (
    finished !== undefined &&
    finished.fingerprint.options[REJECTS_OPTION] !== relativeRejectsPath(output.address, given)
  )
    throw otherRejects(checkpoint.name);
  if (finished !== undefined)
    await removeSetAside(output, backends)
      .then(() => publish(outputs, finished))
      .catch(named);
  const exists = await output.exists();
  if (exists && ifExists === 'skip') return undefined;
  const refuseExisting = (): void => {
    if (exists && ifExists === 'fail')
      throw new RowcastError('output_exists', 'the output already exists', {
        location: { file: name },
        hint: 'Move it elsewhere, or remove --if-exists fail.',
      });
  };
  if (finished === undefined) refuseExisting();
  return {
    async open(identity) {
      if (finished !== undefined && isDeepStrictEqual(finished.fingerprint, identity.fingerprint))
        return finishedOutput(finished, output);
      refuseExisting();
      return openOutput(options, identity, finished === undefined ? saved : undefined).catch(named);
    },
  };
}

/** The rejects of that run would be published in the wrong place. */
function otherRejects(file: string): RowcastError {
  return new RowcastError('other_work', 'the output has an unfinished run with a different rejects file', {
    location: { file },
    hint: 'Rerun the original command to resume it, or use --restart to discard it and start over.',
  });
}

/** Adds the output's name to errors of the file system, such as a failed sync of the folder. */
const unlessNamed =
  (name: string) =>
  (cause: Error): never => {
    throw cause instanceof RowcastError ? cause : unwritable(name, cause, 'stopped');
  };

/** @throws RowcastError `other_work`, `partial_too_short`, `partial_damaged` */
async function openOutput(
  options: ResumableOutputOptions,
  identity: RunIdentity,
  checkpoint: Checkpoint | undefined,
): Promise<Output> {
  const { outputs, backends } = options;
  const { output } = outputs;
  const previous = checkpoint && previousRun(checkpoint, identity, options);
  if (checkpoint !== undefined && previous === undefined) {
    await setAside(output, checkpoint, backends);
    options.onSetAside?.();
  }
  if (previous === undefined) await startOver(options);
  const { output: written, rejects: rejected } = previous?.checkpoint ?? NO_EXTENTS;
  const inputBytes = sizeOf(identity.fingerprint.input);
  const tail = await output.verify(written);
  const rejectsTail = await outputs.rejects.verify(rejected);
  const file = await output.open(written, inputBytes).catch(async cause => {
    // Without a checkpoint, a file that was made would block the next run.
    if (previous === undefined) await output.discard().catch(() => {}); // the first error is reported
    throw cause instanceof RowcastError ? cause : unwritable(output.name, cause);
  });
  const rejects = new RejectsOutput(outputs.rejects, inputBytes);
  try {
    await rejects.resume(rejected, rejectsTail);
    // The names of the files must be durable before a checkpoint refers to them.
    await output.settle();
  } catch (error) {
    await file.close().catch(() => {}); // the first error is reported
    await rejects.close().catch(() => {});
    // Without a checkpoint they would block the next run.
    if (previous === undefined)
      for (const made of [output, outputs.rejects]) await made.discard().catch(() => {});
    throw error;
  }
  const { bytes, uncompressed, notes, open } = written;
  const codec = options.isCompressed ? none : codecOfName(output.address);
  const stored = file.point?.();
  const from = { bytes, uncompressed, tail, mark: undefined, stored, notes, open };
  const { encoder } = identity;
  const partial =
    encoder === undefined ? codec.partialFile<Mark>(file, from) : groupedPartial<Mark>(file, from, encoder);
  // The partial file has it now.
  if (previous !== undefined) delete previous.checkpoint.output.open;
  return resumableOutput(options, partial, rejects, identity, previous);
}

/** The number of bytes that are read, if it is known beforehand. */
const sizeOf = ({ size, codec }: Fingerprint['input']): number | undefined =>
  codec === none.name && size !== null ? size : undefined;

/** Gives up an unfinished run, or what a killed one has left without a checkpoint. */
async function startOver({ outputs, backends }: ResumableOutputOptions): Promise<void> {
  const { output, rejects } = outputs;
  const { checkpoint } = output;
  const bytes = await checkpoint.read();
  const former = await previousRejectsOf(output, bytes, backends);
  await checkpoint.remove();
  if (former !== undefined && former.output.address !== rejects.address)
    await former.output.discardFormer(former.committed, output.address);
}

/**
 * @returns undefined if it is of different work, and is to be set aside
 * @throws RowcastError `other_work`
 */
function previousRun(
  checkpoint: Checkpoint,
  { fingerprint }: RunIdentity,
  { outputs, restartIfChanged, restartIfRetrained, isOtherWork }: ResumableOutputOptions,
): PreviousRun | undefined {
  if (isOtherWork || (restartIfRetrained && isRetrained(checkpoint.fingerprint, fingerprint)))
    return undefined;
  try {
    return {
      checkpoint,
      method: chooseResumeMethod(checkpoint.fingerprint, fingerprint, outputs.output.name),
    };
  } catch (error) {
    if (restartIfChanged && error instanceof RowcastError && error.code === 'other_work') return undefined;
    throw error;
  }
}

/** Whether the report of an unfinished run has been trained again since. */
const isRetrained = ({ report: before }: Fingerprint, { report: now }: Fingerprint): boolean =>
  before.id === now.id && before.hash !== now.hash;

const NO_EXTENTS: WrittenExtents = {
  output: { ...NOTHING_WRITTEN, uncompressed: 0 },
  rejects: NOTHING_WRITTEN,
};

/**
 * The output of a run that had only to be published. Its input is checked again, and there must be nothing to write.
 */
function finishedOutput(checkpoint: Checkpoint, output: DurableOutput): Output {
  return {
    attempt: attemptAfter(checkpoint),
    previous: { checkpoint, method: resumeMethodOf(checkpoint.fingerprint) },
    resumePoint: undefined,
    async write() {
      throw new RowcastError('other_work', 'the input has rows after those that were scored', {
        hint: 'The output of the previous run is now finished. Run the same command again to score this input.',
      });
    },
    async save() {},
    finish: async () => checkpoint,
    sha256: () => output.sha256(),
    suspend: async () => undefined,
    async discard() {},
  };
}

/**
 * Keeps the files of an unfinished run under other names, because a run of different work takes its place. The
 * checkpoint is the last one: a run that is killed in between leaves one that is set aside again.
 *
 * @param saved its checkpoint
 * @throws RowcastError `foreign_file`
 */
async function setAside(
  output: DurableOutput,
  saved: Pick<Checkpoint, 'output'>,
  among?: Backends,
): Promise<void> {
  const { checkpoint } = output;
  const rejects = await previousRejectsOf(output, await checkpoint.read(), among);
  await output.setAside(saved.output, (await output.aside?.checkpoint.read()) !== undefined);
  if (rejects !== undefined && rejects.committed.bytes > 0)
    await rejects.output.setAside(rejects.committed, true);
  await checkpoint.setAside();
}
