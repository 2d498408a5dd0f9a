import { dirname } from 'node:path';
import { RowcastError } from '../../base/errors.ts';
import type { GroupEncoder } from '../../base/text-of-file.ts';
import type { Layout } from '../../formats/format.ts';
import { startOf } from '../../formats/records/batch.ts';
import type { BatchReader } from '../../formats/records/read-batches.ts';
import type { RowGroups } from '../../formats/records/row-groups.ts';
import { Members } from '../../scoring/merge/members.ts';
import { newRowCounts } from '../../scoring/row-counts.ts';
import type { FileVersion } from '../../storage/backend.ts';
import { type Codec, MEMBER_BYTES } from '../../storage/codecs/codec.ts';
import { codecOfName } from '../../storage/codecs/codecs.ts';
import { groupedPartial } from '../../storage/codecs/grouped-partial.ts';
import { none } from '../../storage/codecs/none.ts';
import type { Files } from '../../storage/durable-files.ts';
import { fileAccessOf } from '../../storage/local/access.ts';
import { replaceFile } from '../../storage/local/atomic-write.ts';
import { type Extent, fileStart, type PartialFile } from '../../storage/partial-file.ts';
import type { Identity } from '../../storage/source.ts';
import { unwritable } from '../../storage/target.ts';
import { firstAttempt } from '../attempt.ts';
import { type Checkpoint, FORMAT } from '../checkpoint/checkpoint.ts';
import { REJECTS_OPTION } from '../checkpoint/fingerprint.ts';
import { PrefixDigest } from '../checkpoint/prefix-digest.ts';
import { publishComplete } from '../finish-repair.ts';
import type { RunFiles } from '../paths/run-files.ts';
import type { WriteRepaired } from './place-rows.ts';

interface ReplacementOptions {
  isPrivate: boolean;
  /** How the output is made of its text, if it has groups. */
  groups: NewGroupsOptions | undefined;
  /** What the files begin with. */
  headers: Readonly<Record<'output' | 'rejects', Buffer>>;
}

/**
 * Makes the new files of a repaired output. They take the places of the old ones like those of a run: once they are
 * durable, a complete checkpoint is saved, and from then on any command that uses the output finishes the renames.
 *
 * @param storage writes the files
 */
export async function replacementOf(
  storage: Files,
  paths: RunFiles,
  { isPrivate, groups, headers }: ReplacementOptions,
) {
  const { output, partial, rejects, rejectsPartial, repaired, repairedPartial } = paths;
  const opened: Pick<PartialFile<true>, 'close'>[] = [];
  let left = 0;
  const named = <T>(done: Promise<T>): Promise<T> =>
    done.catch(cause => {
      throw cause instanceof RowcastError ? cause : unwritable(output, cause, 'stopped');
    });
  const create = async (path: string, replaced: string, how: Codec | NewGroupsOptions): Promise<NewFile> => {
    const file = await storage.open(path, fileAccessOf(replaced, isPrivate));
    opened.push(file);
    await file.truncate(0);
    const made =
      'encoder' in how
        ? groupedPartial<true>(file, fileStart, how.encoder)
        : how.partialFile<true>(file, fileStart);
    // It closes the file too.
    opened.splice(-1, 1, made);
    return 'encoder' in how ? groupsOf(made, how) : piecesOf(made);
  };
  /** Removes the new files, unless they were published. */
  const abandon = async (): Promise<void> => {
    // What led to this is reported; a failure to close is not.
    for (const file of opened) await file.close().catch(() => {});
    if ((await storage.size(paths.checkpoint)) !== undefined) return;
    for (const path of [partial, rejectsPartial, repairedPartial]) await storage.remove(path);
  };
  try {
    const wasRepaired = (await storage.size(repaired)) !== undefined;
    const files = {
      output: await create(partial, output, groups ?? codecOfName(output)),
      rejects: await create(rejectsPartial, rejects, none),
      // It has rows of the output, so it is for the same people.
      repaired: await create(repairedPartial, wasRepaired ? repaired : output, none),
    };
    await files.output.write(headers.output);
    await files.repaired.write(headers.rejects);
    const write: WriteRepaired = async (name, bytes) => {
      if (name === 'rejects' && left++ === 0) await named(files.rejects.write(headers.rejects));
      await named(files[name].write(bytes));
    };
    /**
     * Puts the new files into their places.
     *
     * @param corrections identifies the corrections
     * @param rejectsPath path of the rejects file as a fingerprint has it
     * @param before the output that is replaced
     */
    const publish = async (
      corrections: Identity,
      rejectsPath: string | undefined,
      before: FileVersion | undefined,
    ): Promise<void> => {
      if (left === 0 && !paths.hasDefaultRejects) await named(files.rejects.write(headers.rejects));
      const extents = {
        output: await named(files.output.finish()),
        rejects: await named(files.rejects.finish()),
        repaired: await named(files.repaired.finish()),
      };
      const forLedger = { left, ...(before !== undefined && { before }) };
      const checkpoint = checkpointOf(extents, corrections, rejectsPath, forLedger);
      if (checkpoint.rejects.bytes === 0) await storage.remove(rejectsPartial);
      await named(storage.syncFolder(dirname(output)));
      const how = { next: paths.newCheckpoint, access: fileAccessOf(output, isPrivate) };
      const bytes = Buffer.from(JSON.stringify(checkpoint));
      await named(replaceFile(storage, paths.checkpoint, bytes, how));
      await publishComplete(storage, paths, checkpoint);
    };
    return { write, publish, abandon };
  } catch (error) {
    await abandon();
    throw error;
  }
}

/** A complete checkpoint, which no run resumes: no service is called like that. */
function checkpointOf(
  { output, rejects, repaired }: Readonly<Record<Parameters<WriteRepaired>[0], Extent<true>>>,
  { path, size, modified, codec }: Identity,
  rejectsPath: string | undefined,
  forLedger: Pick<NonNullable<Checkpoint['repaired']>, 'left' | 'before'>,
): Checkpoint {
  const extentOf = ({ bytes, tail }: Extent<true>) => ({ bytes, tail: tail.digest() });
  return {
    format: FORMAT,
    state: 'complete',
    attempt: firstAttempt(),
    fingerprint: {
      input: { path, size, modified, codec },
      format: '',
      readAs: {},
      service: 'repair',
      report: { id: '', hash: '' },
      options: { ...(rejectsPath !== undefined && { [REJECTS_OPTION]: rejectsPath }) },
    },
    position: { offset: 0, row: 1, line: 1 },
    prefix: new PrefixDigest().state(),
    output: { ...extentOf(output), uncompressed: output.uncompressed },
    rejects: extentOf(rejects),
    repaired: { ...extentOf(repaired), ...forLedger },
    rowCounts: newRowCounts(),
  };
}

/** How the text of a file becomes groups of rows again. */
export interface NewGroupsOptions {
  layout: Layout;
  groups: RowGroups;
  encoder: GroupEncoder;
}

/** A new file that is complete and durable before it takes the place of another one. */
interface NewFile {
  /** @param bytes whole records; they must not change until the next write */
  write(bytes: Buffer): Promise<void>;
  /** Makes it durable, and closes it. */
  finish(): Promise<Extent<true>>;
}

/** Bytes that are written together: many pieces are short. */
const WRITE_BYTES = 1 << 16;

/** Writes text as it is, in members of a compressed file. */
function piecesOf(file: PartialFile<true>): NewFile {
  let pieces: Buffer[] = [];
  let held = 0;
  let member = 0;
  const writePieces = async (): Promise<void> => {
    const bytes = Buffer.concat(pieces, held);
    pieces = [];
    held = 0;
    member += bytes.length;
    const endsMember = member >= MEMBER_BYTES;
    if (endsMember) member = 0;
    await file.append({ bytes, endsMember, mark: undefined });
  };
  return {
    async write(bytes) {
      pieces.push(bytes);
      held += bytes.length;
      if (held >= WRITE_BYTES) await writePieces();
    },
    finish: () => writePieces().then(() => finished(file)),
  };
}

/** Cuts text into groups of rows. */
function groupsOf(file: PartialFile<true>, { layout, groups }: NewGroupsOptions): NewFile {
  const members = new Members(1, false, groups);
  const records = layout.records({
    file: '',
    batchRows: Number.POSITIVE_INFINITY,
    maxRecordBytes: Number.POSITIVE_INFINITY,
    start: layout.start,
  });
  const append = async (batches: ReturnType<BatchReader['push']>): Promise<void> => {
    for (const batch of batches) {
      for (const { from, to, endsMember } of members.piecesOf(batch, layout)) {
        const bytes = batch.bytes.subarray(startOf(batch, from), startOf(batch, to));
        await file.append({ bytes, endsMember, mark: undefined });
      }
      records.release(batch.end.offset);
    }
  };
  return {
    async write(bytes) {
      if (bytes.length > 0) await append(records.push(bytes));
    },
    finish: () => append(records.end()).then(() => finished(file)),
  };
}

/** Ends a file, makes it durable and closes it. */
async function finished(file: PartialFile<true>): Promise<Extent<true>> {
  await file.append({ bytes: Buffer.alloc(0), endsMember: true, mark: () => true, endsFile: true });
  await file.flush();
  await file.sync();
  const { committed } = file;
  await file.close();
  return committed;
}
