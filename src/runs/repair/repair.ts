import { stat } from 'node:fs/promises';
import { RowcastError } from '../../base/errors.ts';
import type { Comparison } from '../../formats/comparison.ts';
import { csvFormat } from '../../formats/csv/csv-layout.ts';
import type { Opened } from '../../formats/format.ts';
import { type Formats, recognize } from '../../formats/formats.ts';
import type { ReadOptions } from '../../formats/read-options.ts';
import { backendsOf, type StoreValues, versionOf, withSources } from '../../storage/backends.ts';
import { diskFiles, type Files } from '../../storage/durable-files.ts';
import type { Source } from '../../storage/source.ts';
import type { Target } from '../../storage/target.ts';
import { readCheckpoint } from '../checkpoint/checkpoint.ts';
import { REJECTS_OPTION } from '../checkpoint/fingerprint.ts';
import { publishComplete } from '../finish-repair.ts';
import { lockRunPaths } from '../paths/lock-paths.ts';
import { type RunFiles, runFilesOf } from '../paths/run-files.ts';
import { madeOfRepaired } from '../reuse/keep-made.ts';
import type { OutputShape } from '../verify/compare-header.ts';
import { Rejected } from '../verify/compare-reject.ts';
import { RecordCursor } from '../verify/record-cursor.ts';
import { checkCorrections, checkRejects, correctionsOf, rejectsFileOf } from './corrections.ts';
import { type Placed, placeRows, type RepairFiles } from './place-rows.ts';
import { type NewGroupsOptions, replacementOf } from './replacement.ts';

export interface RepairOptions extends FilesOptions, Pick<StoreValues, 'storeOptions'> {
  /** Path of its rejects file, if it is not the default one. */
  rejects?: string | undefined;
  /** Whether only the owner of the new files may read them. */
  private: boolean;
  /** Stops the repair; the files are then unchanged. */
  stop?: AbortSignal | undefined;
  /** Called with whether rows keep their bytes, or the values of their fields. */
  onComparison?: (preserves: Comparison['preserves']) => void;
  /** Writes the new files. */
  storage?: Files;
}

/**
 * Puts corrected and scored rows into their places in an output. What is still rejected stays in the rejects file; the
 * repaired rows, as they were rejected, are kept in another file next to the output, so that `verify` can account for
 * them. The files change together: a killed repair is either not begun, or finished by the next command that uses the
 * output.
 *
 * @throws RowcastError `unfinished`, `no_rejects`, `bad_corrections`, `difference`, `locked`; the files are unchanged
 */
export async function repair(options: RepairOptions): Promise<Placed> {
  const { output, corrected, rejects, private: isPrivate } = options;
  const backends = backendsOf(options);
  const paths = { input: corrected, output, rejects, private: isPrivate, backends };
  const locked = await lockRunPaths(paths).catch(error => {
    throw error instanceof RowcastError && error.code === 'output_is_input' ? sameFile(corrected) : error;
  });
  try {
    const path = localPath(locked.output);
    const paths = runFilesOf(path, locked.rejects?.path);
    await finishKilledRun(paths, locked.relativeRejects);
    return await withSources(backends, open => repairFiles(paths, options, open, locked.relativeRejects));
  } finally {
    await locked.release();
  }
}

const sameFile = (corrected: string): RowcastError =>
  new RowcastError('output_is_input', 'the corrected rows are in a file that repair writes itself', {
    location: { file: corrected },
    hint: 'Correct the rows of OUTPUT.rejects and score them into a file of their own first; then: rowcast repair OUTPUT CORRECTED.',
  });

async function repairFiles(
  paths: RunFiles,
  options: RepairOptions,
  open: (path: string) => Promise<Source>,
  relativeRejects: string | undefined,
): Promise<Placed> {
  const { private: isPrivate, stop, storage = diskFiles } = options;
  const before = await versionOf(paths.output);
  const { files, headers, sources, groups } = await openFiles(paths, options, open);
  options.onComparison?.(groups === undefined ? 'bytes' : 'values');
  // Nothing is left to repair: only what was repaired before is compared.
  if (files.rejects === undefined) return await placeRows(files, async () => {}, stop);
  const keepMade = await madeOfRepaired(options.output, options.corrected, backendsOf(options));
  const replacement = await replacementOf(storage, paths, { isPrivate, groups, headers });
  try {
    const placed = await placeRows(files, replacement.write, stop);
    for (const source of [sources.output, sources.corrected, sources.rejects]) await source.checkUnchanged();
    stop?.throwIfAborted();
    if (placed.placed === 0) await replacement.abandon();
    else
      await replacement.publish(await sources.corrected.identify(), relativeRejects, before).then(keepMade);
    return placed;
  } catch (error) {
    await replacement.abandon();
    throw error;
  }
}

/** @throws RowcastError `usage` for an output that is not a local file */
function localPath({ name, path }: Target): string {
  if (path !== undefined) return path;
  throw new RowcastError('usage', 'repair needs an output that is a local file', {
    location: { file: name },
    hint: 'Give -o FILE. A finished file can be copied elsewhere.',
  });
}

/**
 * Finishes a run or a repair that was killed while its files took their places.
 *
 * @param rejects path of the rejects file as a fingerprint has it
 * @throws RowcastError `unfinished` if the run was killed earlier
 */
async function finishKilledRun(paths: RunFiles, rejects: string | undefined): Promise<void> {
  const text = await diskFiles.read(paths.checkpoint);
  if (text === undefined) return;
  const saved = readCheckpoint(text, paths.checkpoint);
  if (saved.state !== 'complete' || saved.fingerprint.options[REJECTS_OPTION] !== rejects)
    throw new RowcastError('unfinished', 'the run that writes this file is not finished', {
      location: { file: paths.output },
      hint: 'Run its command again to finish it, then repair the output.',
    });
  await publishComplete(diskFiles, paths, saved);
}

interface FilesOptions extends Omit<ReadOptions, 'names'>, OutputShape {
  /** The path of a finished output. */
  output: string;
  /** The scored corrections of its rejects: a path, or `-` for stdin. */
  corrected: string;
  /** The formats that the files may have, if not the default ones. */
  formats?: Formats | undefined;
}

/** The files of a repair, whose headers were read and compared. */
interface OpenFiles {
  files: RepairFiles;
  /** The files that must not change meanwhile; without rejects, the rows that were repaired before. */
  sources: Readonly<Record<'output' | 'rejects' | 'corrected', Source>>;
  /** What the new files begin with. */
  headers: Readonly<Record<'output' | 'rejects', Buffer>>;
  /** How the output is made of its text, if it has groups of rows. */
  groups: NewGroupsOptions | undefined;
}

/** Maximum bytes that a record of these files may have in addition to the input's. */
const APPENDED_BYTES = 16 << 20;

interface OpenFile {
  source: Source;
  opened: Opened;
}

/**
 * @throws RowcastError `usage` for an output that cannot be repaired; `no_rejects`, `bad_corrections`, `difference`,
 *   `no_such_file`
 */
async function openFiles(
  paths: RunFiles,
  given: FilesOptions,
  open: (path: string) => Promise<Source>,
): Promise<OpenFiles> {
  const maxRecordBytes = given.maxRecordBytes + APPENDED_BYTES;
  const outputSource = await open(given.output);
  const { format: written, bytes } = await recognize(outputSource, given.formats);
  const { openWritten } = written;
  // The rows of a file that is not text are read as those of its rejects, which have only some of its columns.
  const format = openWritten === undefined ? written : csvFormat;
  const options =
    openWritten === undefined ? given : { ...given, keep: 'all' as const, rename: {}, outputHeader: true };
  const alike = { ...format.readAs(options, outputSource.contentName), maxRecordBytes };
  const read = async (path: string): Promise<OpenFile> => {
    const source = await open(path);
    const { format: own, bytes, isEmpty } = await recognize(source, given.formats);
    if (own.name !== format.name && !isEmpty) throw wasConverted(given.output, own.name);
    return { source, opened: await format.readLayout(bytes, alike) };
  };
  const repaired = (await exists(paths.repaired)) ? await read(paths.repaired) : undefined;
  const left = await rejectsOf(paths, repaired !== undefined);
  const rejects = left === undefined ? undefined : await read(left);
  // One of them is there: the row that a correction belongs to is found in it.
  const { source: rejectsSource, opened: openedRejects } = rejects ?? (repaired as OpenFile);
  const { name } = rejectsSource;
  const file = rejectsFileOf(openedRejects.layout, name, options);
  if (repaired !== undefined) checkRejects(file, repaired.opened.layout, repaired.source.name);
  const { input, ending } = file;
  const unnamed = { ...alike, ...input.readAs, names: 'numbers' as const };
  const isNamed = options.outputHeader !== false;
  const correctedSource = await open(options.corrected);
  const corrected = {
    source: correctedSource,
    opened: await file.readCorrections(correctedSource, alike),
  };
  const appended = corrected.opened.layout.names.slice(openedRejects.layout.names.length);
  const groups = await openWritten?.(bytes, {
    rejects: input,
    appended,
    rename: given.rename,
    nulls: given.nulls ?? [],
  });
  const output = {
    source: outputSource,
    opened: groups ?? (await format.readLayout(bytes, isNamed ? alike : unnamed)),
  };
  const layouts = { rejects: file, output: output.opened.layout, corrected: corrected.opened.layout };
  const names = { rejects: name, output: options.output, corrected: correctedSource.name };
  const checks = checkCorrections(layouts, names, options);

  const cursorOf = ({ source, opened }: OpenFile) => RecordCursor.open(source, opened, alike);
  const rejectedOf = (of: OpenFile | undefined) =>
    of && new Rejected(cursorOf(of), input.rejectRecords, true);
  return {
    files: {
      output: cursorOf(output),
      rejects: rejectedOf(rejects),
      repaired: rejectedOf(repaired),
      corrections: correctionsOf(cursorOf(corrected), input.rejectRecords, checks),
      firstLine: input.start.line,
      ending,
      groups,
    },
    sources: { output: outputSource, rejects: rejectsSource, corrected: correctedSource },
    headers: {
      output: groups === undefined ? layouts.output.preamble : NOTHING,
      rejects: input.rejectsPreamble,
    },
    groups: groups && { ...groups, layout: layouts.output },
  };
}

const wasConverted = (file: string, rejects: string): RowcastError =>
  new RowcastError(
    'usage',
    `the output cannot be repaired: its rejects are ${rejects === 'jsonl' ? 'JSON lines' : 'a CSV'}`,
    {
      location: { file },
      hint: 'Correct the input and score it again, or score the corrected rows into a file of their own.',
    },
  );

const NOTHING = Buffer.alloc(0);

/**
 * The rejects file of an output.
 *
 * @returns undefined if all rejects were repaired before
 * @throws RowcastError `no_rejects`
 */
async function rejectsOf(
  { rejects, hasDefaultRejects }: RunFiles,
  wasRepaired: boolean,
): Promise<string | undefined> {
  if (await exists(rejects)) return rejects;
  // A file that is named stays, with only its header.
  if (hasDefaultRejects && wasRepaired) return undefined;
  throw new RowcastError('no_rejects', 'the output has no rejects file, so there is nothing to repair', {
    location: { file: rejects },
    hint: 'If the run had --rejects, give the same path.',
  });
}

const exists = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined)) !== undefined;
