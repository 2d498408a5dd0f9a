import { stat } from 'node:fs/promises';
import { RowcastError } from '../errors.ts';
import type { ChosenProbabilities } from '../formats/csv/chosen-appended.ts';
import { afterHeader, type Header, readBytes } from '../formats/csv/header.ts';
import { type ColumnOptions, outputColumns, ownNames } from '../formats/csv/output-columns.ts';
import { type Head, type ReadOptions, readHead } from '../formats/csv/read-batches.ts';
import { rejectEnding } from '../formats/csv/reject-records.ts';
import { formerRejectsOf } from '../runs/paths/former-rejects.ts';
import { lockRunPaths } from '../runs/paths/lock-paths.ts';
import { type RunFiles, runFilesOf } from '../runs/paths/run-files.ts';
import { openSource } from '../storage/backends.ts';
import type { Source } from '../storage/source.ts';
import { Rejected } from '../verify/rejected.ts';
import { openSide, type Side } from '../verify/side.ts';
import { checkCorrections, checkRejects, inputHeaderOf } from './check-headers.ts';
import { Corrections } from './corrections.ts';
import { finishFormer } from './finish-former.ts';
import { type Placed, placeRows, type RepairStep } from './place-rows.ts';
import { Replacement } from './replacement.ts';

export interface RepairOptions extends Omit<ReadOptions, 'names'>, ColumnOptions, ChosenProbabilities {
  /** The path of a finished output. */
  output: string;
  /** The scored corrections of its rejects: a path, or `-` for stdin. */
  corrected: string;
  /** Path of its rejects file, if it is not the default one. */
  rejects?: string | undefined;
  /** Whether only the owner of the new files may read them. */
  private: boolean;
  /** Stops the repair; the files are then unchanged. */
  stop?: AbortSignal | undefined;
}

/** Maximum bytes that a record of these files may have in addition to the input's. */
const APPENDED_BYTES = 16 << 20;

/**
 * Puts corrected and scored rows into their places in an output. What is still rejected stays in the rejects file; the
 * repaired rows, as they were rejected, are kept in another file next to the output, so that `verify` can account for them.
 * The files change together: a killed repair is either not begun, or finished by the next command that uses the output.
 *
 * @throws RowcastError `unfinished`, `no_rejects`, `bad_corrections`, `difference`, `locked`; the files are unchanged
 */
export async function repair(options: RepairOptions): Promise<Placed> {
  const { output, corrected, rejects, private: isPrivate } = options;
  const locked = await lockRunPaths({ input: corrected, output, rejects, private: isPrivate });
  const sources: Source[] = [];
  const open = async (path: string): Promise<Source> => {
    const source = await openSource(path);
    sources.push(source);
    return source;
  };
  try {
    const { path } = locked.output;
    if (path === undefined)
      throw new RowcastError('usage', 'only an output that is a file can be repaired', {
        location: { file: output },
      });
    const paths = runFilesOf(path, locked.rejects?.path);
    await finishFormer(paths, locked.relativeRejects);
    return await repairFiles(paths, options, open, locked.relativeRejects);
  } finally {
    for (const source of sources) source.close();
    await locked.release();
  }
}

async function repairFiles(
  paths: RunFiles,
  options: RepairOptions,
  open: (path: string) => Promise<Source>,
  relativeRejects: string | undefined,
): Promise<Placed> {
  const { output, corrected, private: isPrivate, stop } = options;
  const maxRecordBytes = options.maxRecordBytes + APPENDED_BYTES;
  const outputSource = await open(output);
  const outputHead = await readHead(outputSource, {
    ...options,
    maxRecordBytes,
    names: options.outputHeader === false ? 'numbers' : undefined,
  });
  const { dialect } = outputHead.header;
  const outputHeader = readBytes(outputHead.header);
  const alike = { delimiter: dialect.delimiter, quote: dialect.quote ?? 'none', maxRecordBytes };
  const read = async (path: string): Promise<{ source: Source; head: Head }> => {
    const source = await open(path);
    return { source, head: await readHead(source, alike) };
  };
  const rejected = await read(await rejectsOf(paths));
  const header = inputHeaderOf(rejected.head.header, rejected.source.name);
  const earlier = (await exists(paths.repaired)) ? await read(paths.repaired) : undefined;
  if (earlier !== undefined) checkRejects(rejected.head.header, earlier.head.header, earlier.source.name);
  const corrections = await read(corrected);
  const columns = outputColumns(header, options, rejected.source.name);
  const headers = {
    output: { file: output, header: outputHead.header },
    corrected: { file: corrections.source.name, header: corrections.head.header },
    input: { file: rejected.source.name, header },
  };
  const appended = checkCorrections(headers, columns, options);

  const ending = rejectEnding(header);
  const sideOf = ({ source, head }: { source: Source; head: Head }): Side => openSide(source, head, alike);
  const sides = {
    output: sideOf({ source: outputSource, head: outputHead }),
    rejects: sideOf(rejected),
    repaired: earlier && sideOf(earlier),
    corrected: sideOf(corrections),
  };
  const width = corrections.head.header.names.length;
  const steps = placeRows({
    output: sides.output.cursor,
    rejects: new Rejected(sides.rejects.cursor, ending),
    repaired: sides.repaired && new Rejected(sides.repaired.cursor, ending),
    corrections: new Corrections(sides.corrected.cursor, width, ownNames(header, columns).length, appended),
    firstLine: afterHeader(header).line,
    lastByte: outputHeader.at(-1),
    ending,
  });
  const replacement = await Replacement.create(paths, isPrivate);
  try {
    const rejectsHeader = headerBytes(rejected.head.header);
    await replacement.begin({ output: outputHeader, rejects: rejectsHeader });
    const placed = await runSteps(steps, Object.values(sides), replacement, stop);
    for (const source of [outputSource, corrections.source, rejected.source]) await source.checkUnchanged();
    stop?.throwIfAborted();
    if (placed.placed === 0) await replacement.abandon();
    else await replacement.publish(await corrections.source.identify(), relativeRejects);
    return placed;
  } catch (error) {
    await replacement.abandon();
    throw error;
  }
}

async function runSteps(
  steps: Generator<RepairStep, Placed>,
  sides: readonly (Side | undefined)[],
  replacement: Replacement,
  stop: AbortSignal | undefined,
): Promise<Placed> {
  for (;;) {
    const { value, done } = steps.next();
    if (done) return value;
    stop?.throwIfAborted();
    if ('write' in value) await replacement.write(value.write, value.bytes);
    else {
      const next = await sides.find(side => side?.cursor === value.read)?.batches.next();
      value.read.setBatch(next?.done ? undefined : next?.value);
    }
  }
}

/** The rejects file of an output, at its present or former default path. @throws RowcastError `no_rejects` */
async function rejectsOf({ output, rejects, hasDefaultRejects }: RunFiles): Promise<string> {
  const former = formerRejectsOf(output);
  if (await exists(rejects)) return rejects;
  if (hasDefaultRejects && (await exists(former))) return former;
  throw new RowcastError('no_rejects', 'the output has no rejects file, so there is nothing to repair', {
    location: { file: rejects },
    hint: 'If the run had --rejects, give the same path.',
  });
}

const exists = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined)) !== undefined;

/** A header with a line ending: it may have been the end of its file. */
const headerBytes = (header: Header): Buffer =>
  Buffer.concat([header.bytes.subarray(0, header.contentEnd), rejectEnding(header)]);
