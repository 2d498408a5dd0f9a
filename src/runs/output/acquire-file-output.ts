import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { RowcastError } from '../../errors.ts';
import { sha256Of } from '../../storage/checksum.ts';
import { gzipPartial, plainPartial } from '../../storage/local/partial-file.ts';
import { unwritable } from '../../storage/target.ts';
import {
  type Checkpoint,
  chooseResumeMethod,
  readCheckpoint,
  resumeMethodOf,
} from '../checkpoint/checkpoint.ts';
import { REJECTS_OPTION, relativeRejectsPath } from '../checkpoint/fingerprint.ts';
import { verifyCommitted } from '../checkpoint/verify-committed.ts';
import { isSamePath, previousRejectsOf, removePreviousRejects } from '../paths/previous-rejects.ts';
import { finishRenames, type RunFiles, runFilesOf } from '../paths/run-files.ts';
import { FileOutput, type FileOutputOptions, type Mark } from './file-output.ts';
import type { AcquiredOutput, Output, RunIdentity } from './output.ts';
import { RejectsFile } from './rejects-file.ts';

/**
 * Takes an output file, whose lock is held, for a run. A run of which only the renames were left is finished first.
 *
 * @returns undefined when OUTPUT exists and is to be left alone
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
  if (finished !== undefined) await finishRenames(files, paths, finished).catch(named);
  const exists = (await stat(path).catch(() => undefined)) !== undefined;
  if (exists && ifExists === 'skip') return undefined;
  const refuseExisting = (): void => {
    if (exists && ifExists === 'fail')
      throw new RowcastError('output_exists', 'the output exists already', {
        location: { file: name },
        hint: 'Move it away, or leave out --if-exists fail.',
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

/** Its renames would look for the rejects in the wrong place. */
function otherRejects(file: string): RowcastError {
  return new RowcastError('other_work', 'an unfinished run with another rejects file is there', {
    location: { file },
    hint: 'Run the command that it belongs to, or give --restart to begin anew.',
  });
}

/** Names the output, and says what failed, where the file system gave the error, such as a failed sync of the folder. */
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
  const { files, mode, path, name } = options;
  const folder = dirname(path);
  const previous = checkpoint && {
    checkpoint,
    method: chooseResumeMethod(checkpoint.fingerprint, identity.fingerprint, paths.checkpoint),
  };
  if (previous === undefined) {
    const previousRejects = await previousRejectsOf(path);
    await files.remove(paths.checkpoint);
    await files.syncFolder(folder);
    if (previousRejects !== undefined && !isSamePath(previousRejects.path, paths.rejects))
      await removePreviousRejects(files, path, previousRejects);
  }
  const { output, rejects: rejected } = checkpoint ?? NOTHING_WRITTEN;
  const tail = await verifyCommitted(files, paths.partial, output);
  const rejectsTail = await verifyCommitted(files, paths.rejectsPartial, rejected);
  const file = await files.open(paths.partial, mode).catch(cause => {
    throw unwritable(name, cause);
  });
  const rejects = new RejectsFile(files, paths.rejectsPartial, mode);
  try {
    await file.truncate(output.bytes);
    await rejects.resume({ bytes: rejected.bytes, tail: rejectsTail });
    // Their names too are durable before a checkpoint vouches for what they hold.
    await files.syncFolder(folder);
  } catch (error) {
    await file.close().catch(() => {}); // the failure is reported
    await rejects.close().catch(() => {});
    // Without a checkpoint they would be in the way of the next run.
    if (previous === undefined)
      for (const made of [paths.partial, paths.rejectsPartial]) await files.remove(made).catch(() => {});
    throw error;
  }
  const { bytes, uncompressed } = output;
  const partial = (/\.gz$/i.test(path) ? gzipPartial : plainPartial)<Mark>(file, {
    bytes,
    uncompressed,
    tail,
    mark: undefined,
  });
  return new FileOutput(options, paths, partial, rejects, identity, previous);
}

const NOTHING_WRITTEN = {
  output: { bytes: 0, uncompressed: 0, tail: '' },
  rejects: { bytes: 0, tail: '' },
};

/** The output of a run of which only the renames were left: its input is looked through, and nothing is to be written. */
function finishedOutput(checkpoint: Checkpoint, path: string): Output {
  return {
    previous: { checkpoint, method: resumeMethodOf(checkpoint.fingerprint) },
    resumePoint: undefined,
    async write() {
      throw new RowcastError('other_work', 'the input goes on beyond what was scored', {
        hint: 'The output of the former run is finished: the same command scores this input.',
      });
    },
    async finish() {},
    sha256: () => sha256Of(path),
    suspend: async () => undefined,
    async discard() {},
  };
}
