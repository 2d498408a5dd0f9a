import { dirname } from 'node:path';
import { RowcastError } from '../../base/errors.ts';
import { newRowCounts } from '../../scoring/row-counts.ts';
import type { FileVersion } from '../../storage/backend.ts';
import type { Codec } from '../../storage/codecs/codec.ts';
import { codecOfName } from '../../storage/codecs/codecs.ts';
import { none } from '../../storage/codecs/none.ts';
import type { Files } from '../../storage/durable-files.ts';
import { fileAccessOf } from '../../storage/local/access.ts';
import { replaceFile } from '../../storage/local/atomic-write.ts';
import type { Extent } from '../../storage/partial-file.ts';
import type { Identity } from '../../storage/source.ts';
import { unwritable } from '../../storage/target.ts';
import { firstAttempt } from '../attempt.ts';
import { type Checkpoint, FORMAT } from '../checkpoint/checkpoint.ts';
import { REJECTS_OPTION } from '../checkpoint/fingerprint.ts';
import { PrefixDigest } from '../checkpoint/prefix-digest.ts';
import { publishComplete } from '../finish-repair.ts';
import type { RunFiles } from '../paths/run-files.ts';
import { NewFile, type NewGroupsOptions } from './new-file.ts';
import type { WriteRepaired } from './place-rows.ts';

type NewFiles = Readonly<Record<Name, NewFile>>;
type Name = Parameters<WriteRepaired>[0];

/**
 * The new files of a repaired output. They take the places of the old ones like those of a run: once they are durable,
 * a complete checkpoint is saved, and from then on any command that uses the output finishes the renames.
 */
export class Replacement {
  readonly #storage: Files;
  readonly #paths: RunFiles;
  readonly #files: NewFiles;
  readonly #isPrivate: boolean;
  #rejectsHeader: Buffer = Buffer.alloc(0);
  #leftRejects = 0;

  private constructor(storage: Files, paths: RunFiles, files: NewFiles, isPrivate: boolean) {
    this.#storage = storage;
    this.#paths = paths;
    this.#files = files;
    this.#isPrivate = isPrivate;
  }

  /**
   * @param storage writes the files
   * @param groups how the output is made of its text, if it has groups
   */
  static async create(
    storage: Files,
    paths: RunFiles,
    isPrivate: boolean,
    groups: NewGroupsOptions | undefined,
  ): Promise<Replacement> {
    const { output, partial, rejects, rejectsPartial, repaired, repairedPartial } = paths;
    const opened: NewFile[] = [];
    const open = async (path: string, replaced: string, how: Codec | NewGroupsOptions): Promise<NewFile> => {
      const file = await NewFile.create(storage, path, fileAccessOf(replaced, isPrivate), how);
      opened.push(file);
      return file;
    };
    try {
      const files = {
        output: await open(partial, output, groups ?? codecOfName(output)),
        rejects: await open(rejectsPartial, rejects, none),
        // It has rows of the output, so it is for the same people.
        repaired: await open(
          repairedPartial,
          (await storage.size(repaired)) === undefined ? output : repaired,
          none,
        ),
      };
      return new Replacement(storage, paths, files, isPrivate);
    } catch (error) {
      for (const file of opened) await file.abandon();
      for (const path of [partial, rejectsPartial, repairedPartial]) await storage.remove(path);
      throw error;
    }
  }

  /** Writes the headers. */
  async begin(headers: Readonly<Record<'output' | 'rejects', Buffer>>): Promise<void> {
    this.#rejectsHeader = headers.rejects;
    await this.#files.output.write(headers.output);
    await this.#files.repaired.write(headers.rejects);
  }

  /** @throws RowcastError `unwritable_output` */
  async write(name: Name, bytes: Buffer): Promise<void> {
    if (name === 'rejects' && this.#leftRejects++ === 0)
      await this.#named(this.#files.rejects.write(this.#rejectsHeader));
    await this.#named(this.#files[name].write(bytes));
  }

  /**
   * Puts the new files into their places.
   *
   * @param corrections identifies the corrections
   * @param rejects path of the rejects file as a fingerprint has it
   * @param before the output that is replaced
   */
  async publish(
    corrections: Identity,
    rejects: string | undefined,
    before: FileVersion | undefined,
  ): Promise<void> {
    const { newCheckpoint, checkpoint: path, output, hasDefaultRejects } = this.#paths;
    if (this.#leftRejects === 0 && !hasDefaultRejects)
      await this.#named(this.#files.rejects.write(this.#rejectsHeader));
    const checkpoint = checkpointOf(
      {
        output: await this.#named(this.#files.output.finish()),
        rejects: await this.#named(this.#files.rejects.finish()),
        repaired: await this.#named(this.#files.repaired.finish()),
      },
      corrections,
      rejects,
      { left: this.#leftRejects, ...(before !== undefined && { before }) },
    );
    if (checkpoint.rejects.bytes === 0) await this.#storage.remove(this.#paths.rejectsPartial);
    await this.#named(this.#storage.syncFolder(dirname(output)));
    const access = fileAccessOf(output, this.#isPrivate);
    const bytes = Buffer.from(JSON.stringify(checkpoint));
    await this.#named(replaceFile(this.#storage, path, bytes, { next: newCheckpoint, access }));
    await publishComplete(this.#storage, this.#paths, checkpoint);
  }

  /** Removes the new files, unless they were published. */
  async abandon(): Promise<void> {
    const { checkpoint, partial, rejectsPartial, repairedPartial } = this.#paths;
    for (const file of Object.values(this.#files)) await file.abandon();
    if ((await this.#storage.size(checkpoint)) !== undefined) return;
    for (const path of [partial, rejectsPartial, repairedPartial]) await this.#storage.remove(path);
  }

  #named<T>(done: Promise<T>): Promise<T> {
    return done.catch(cause => {
      throw cause instanceof RowcastError ? cause : unwritable(this.#paths.output, cause, 'stopped');
    });
  }
}

/** A complete checkpoint, which no run resumes: no service is called like that. */
function checkpointOf(
  { output, rejects, repaired }: Readonly<Record<Name, Extent<true>>>,
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
