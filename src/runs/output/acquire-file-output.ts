import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { RowcastError } from '../../base/errors.ts';
import { sha256Of } from '../../storage/checksum.ts';
import { codecOfName } from '../../storage/codecs/codecs.ts';
import { none } from '../../storage/codecs/none.ts';
import { accessOf } from '../../storage/local/access.ts';
import { unwritable } from '../../storage/target.ts';
import {
  type Checkpoint,
  chooseResumeMethod,
  type Fingerprint,
  readCheckpoint,
  resumeMethodOf,
} from '../checkpoint/checkpoint.ts';
import { REJECTS_OPTION, relativeRejectsPath } from '../checkpoint/fingerprint.ts';
import { verifyCommitted } from '../checkpoint/verify-committed.ts';
import {
  isSamePath,
  previousRejectsOf,
  removePreviousRejects,
  removeSetAside,
} from '../paths/previous-rejects.ts';
import { finishRenames, type RunFiles, runFilesOf } from '../paths/run-files.ts';
import { attemptAfter, FileOutput, type FileOutputOptions } from './file-output.ts';
import { makePrivate } from './make-private.ts';
import type { Mark } from './mark.ts';
import type { AcquiredOutput, Output, PreviousRun, RunIdentity } from './output.ts';
import { RejectsFile } from './rejects-file.ts';
import { setAside } from './set-aside.ts';

/**
 * Acquires an output file whose lock is held. If an earlier run has only its renames left, these are done first.
 *
 * @returns undefined if OUTPUT exists and `ifExists` is `skip`
 * @throws RowcastError `output_exists`, `bad_checkpoint`, `unwritable_output`
 */
export async function acquireFile(options: FileOutputOptions): Promise<AcquiredOutput | undefined> {
  const { name, path, rejects, ifExists, restart, files } = options;
  const paths = runFilesOf(path, rejects);
  const named = unlessNamed(name);
  const text = restart ? undefined : await files.read(paths.checkpoint).catch(named);
  const saved = text && readCheckpoint(text.toString(), paths.checkpoint);
  const finished = saved?.state === 'complete' ? saved : undefined;
  if (
    finished !== undefined &&
    finished.fingerprint.options[REJECTS_OPTION] !== relativeRejectsPath(path, rejects)
  )
    throw otherRejects(paths.checkpoint);
  if (finished !== undefined) await finish(options, paths, finished).catch(named);
  const exists = (await stat(path).catch(() => undefined)) !== undefined;
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
        return finishedOutput(finished, path);
      refuseExisting();
      return openFile(options, paths, identity, finished === undefined ? saved : undefined).catch(named);
    },
  };
}

/** Does the last steps of an earlier run. */
async function finish(
  { files, path, private: isPrivate }: FileOutputOptions,
  paths: RunFiles,
  finished: Checkpoint,
): Promise<void> {
  await removeSetAside(files, path);
  if (isPrivate) await makePrivate(files, paths, finished);
  await finishRenames(files, paths, finished);
}

/** The renames of that run would look for the rejects in the wrong place. */
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
async function openFile(
  options: FileOutputOptions,
  paths: RunFiles,
  identity: RunIdentity,
  checkpoint: Checkpoint | undefined,
): Promise<Output> {
  const { files, path, name, private: isPrivate } = options;
  const folder = dirname(path);
  const previous = checkpoint && previousRun(checkpoint, identity, options);
  if (checkpoint !== undefined && previous === undefined) {
    await setAside(files, paths);
    options.onSetAside?.();
  }
  if (previous === undefined) {
    const previousRejects = await previousRejectsOf(path);
    await files.remove(paths.checkpoint);
    await files.syncFolder(folder);
    if (previousRejects !== undefined && !isSamePath(previousRejects.path, paths.rejects))
      await removePreviousRejects(files, path, previousRejects);
  }
  const { output, rejects: rejected } = previous?.checkpoint ?? NOTHING_WRITTEN;
  const tail = await verifyCommitted(files, paths.partial, output);
  const rejectsTail = await verifyCommitted(files, paths.rejectsPartial, rejected);
  const file = await files.open(paths.partial, accessOf(path, isPrivate)).catch(cause => {
    throw unwritable(name, cause);
  });
  const rejects = new RejectsFile(files, paths.rejectsPartial, accessOf(paths.rejects, isPrivate));
  try {
    await file.truncate(output.bytes);
    await rejects.resume({ bytes: rejected.bytes, tail: rejectsTail });
    // The directory entries must be durable before a checkpoint refers to the files.
    await files.syncFolder(folder);
  } catch (error) {
    await file.close().catch(() => {}); // the first error is reported
    await rejects.close().catch(() => {});
    // Without a checkpoint they would block the next run.
    if (previous === undefined)
      for (const made of [paths.partial, paths.rejectsPartial]) await files.remove(made).catch(() => {});
    throw error;
  }
  const { bytes, uncompressed } = output;
  const codec = options.isCompressed ? none : codecOfName(path);
  const partial = codec.partialFile<Mark>(file, {
    bytes,
    uncompressed,
    tail,
    mark: undefined,
  });
  return new FileOutput(options, paths, partial, rejects, identity, previous);
}

/**
 * @returns undefined if it is of different work, and is to be set aside
 * @throws RowcastError `other_work`
 */
function previousRun(
  checkpoint: Checkpoint,
  { fingerprint }: RunIdentity,
  { name, restartIfChanged, restartIfRetrained, isOtherWork }: FileOutputOptions,
): PreviousRun | undefined {
  if (isOtherWork || (restartIfRetrained && isRetrained(checkpoint.fingerprint, fingerprint)))
    return undefined;
  try {
    return { checkpoint, method: chooseResumeMethod(checkpoint.fingerprint, fingerprint, name) };
  } catch (error) {
    if (restartIfChanged && error instanceof RowcastError && error.code === 'other_work') return undefined;
    throw error;
  }
}

/** Whether the report of an unfinished run has been trained again since. */
const isRetrained = ({ report: before }: Fingerprint, { report: now }: Fingerprint): boolean =>
  before.id === now.id && before.hash !== now.hash;

const NOTHING_WRITTEN = {
  output: { bytes: 0, uncompressed: 0, tail: '' },
  rejects: { bytes: 0, tail: '' },
};

/** The output of a run that had only its renames left. Its input is checked again, and there must be nothing to write. */
function finishedOutput(checkpoint: Checkpoint, path: string): Output {
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
    sha256: () => sha256Of(path),
    suspend: async () => undefined,
    async discard() {},
  };
}
