import { stat } from 'node:fs/promises';
import { RowcastError } from '../../base/errors.ts';
import type { ChosenProbabilities } from '../../formats/appended.ts';
import { dialectOf } from '../../formats/csv/dialect.ts';
import { afterHeader, type Header, readBytes } from '../../formats/csv/header.ts';
import { type ColumnOptions, outputColumns, ownNames } from '../../formats/csv/output-columns.ts';
import { type Head, readHead } from '../../formats/csv/read-head.ts';
import { rejectEnding } from '../../formats/csv/reject-records.ts';
import type { ReadOptions } from '../../formats/read-options.ts';
import type { Source } from '../../storage/source.ts';
import type { RunFiles } from '../paths/run-files.ts';
import { Rejected } from '../verify/rejected.ts';
import { openSide, type Side } from '../verify/side.ts';
import { checkCorrections, checkRejects, inputHeaderOf } from './check-headers.ts';
import { Corrections } from './corrections.ts';
import type { RepairFiles } from './place-rows.ts';
import { readCorrectedHead } from './read-corrected-head.ts';

export interface FilesOptions extends Omit<ReadOptions, 'names'>, ColumnOptions, ChosenProbabilities {
  /** The path of a finished output. */
  output: string;
  /** The scored corrections of its rejects: a path, or `-` for stdin. */
  corrected: string;
}

/** The files of a repair, whose headers were read and compared. */
export interface OpenFiles {
  files: RepairFiles;
  /** All of them. */
  sides: readonly Side[];
  /** Those that must not change meanwhile; without rejects, the rows that were repaired before. */
  sources: Readonly<Record<'output' | 'rejects' | 'corrected', Source>>;
  /** What the new files begin with. */
  headers: Readonly<Record<'output' | 'rejects', Buffer>>;
}

/** Maximum bytes that a record of these files may have in addition to the input's. */
const APPENDED_BYTES = 16 << 20;

interface OpenFile {
  source: Source;
  head: Head;
}

/** @throws RowcastError `no_rejects`, `bad_corrections`, `difference`, `no_such_file` */
export async function openFiles(
  paths: RunFiles,
  options: FilesOptions,
  open: (path: string) => Promise<Source>,
): Promise<OpenFiles> {
  const maxRecordBytes = options.maxRecordBytes + APPENDED_BYTES;
  const outputSource = await open(options.output);
  const { delimiter, quote } = dialectOf({ ...options, file: outputSource.contentName });
  const alike = { delimiter, quote: quote ?? 'none', maxRecordBytes };
  const read = async (path: string): Promise<OpenFile> => {
    const source = await open(path);
    return { source, head: await readHead(source, alike) };
  };
  const repaired = (await exists(paths.repaired)) ? await read(paths.repaired) : undefined;
  const left = await rejectsOf(paths, repaired !== undefined);
  const rejects = left === undefined ? undefined : await read(left);
  // One of them is there: the row that a correction belongs to is found in it.
  const { source: rejectsSource, head: rejectsHead } = rejects ?? (repaired as OpenFile);
  const rejectsHeader = rejectsHead.header;
  const input = inputHeaderOf(rejectsHeader, rejectsSource.name);
  if (repaired !== undefined) checkRejects(rejectsHeader, repaired.head.header, repaired.source.name);
  const { loneCr } = input.dialect;
  const hasHeader = options.outputHeader !== false;
  const outputOptions = hasHeader ? alike : { ...alike, loneCr, names: 'numbers' as const };
  const output = { source: outputSource, head: await readHead(outputSource, outputOptions) };
  const correctedSource = await open(options.corrected);
  const correctedHead = hasHeader
    ? await readHead(correctedSource, alike)
    : await readCorrectedHead(correctedSource, { ...alike, loneCr });
  const corrected = { source: correctedSource, head: correctedHead };
  const named = ({ source, head: { header } }: OpenFile) => ({ file: source.name, header });
  const headers = {
    output: { ...named(output), file: options.output },
    corrected: named(corrected),
    rejects: { file: rejectsSource.name, header: rejectsHeader },
    input: { file: rejectsSource.name, header: input },
  };
  const appended = checkCorrections(headers, options);

  const ending = rejectEnding(input);
  const sideOf = ({ source, head }: OpenFile): Side => openSide(source, head, alike);
  const [outputSide, correctedSide] = [sideOf(output), sideOf(corrected)];
  const [rejectsSide, repairedSide] = [rejects && sideOf(rejects), repaired && sideOf(repaired)];
  const rejectedOf = (side: Side | undefined) => side && new Rejected(side.cursor, ending);
  const { length: kept } = ownNames(input, outputColumns(input, options, rejectsSource.name));
  const { length: width } = correctedHead.header.names;
  const outputHeader = readBytes(output.head.header);
  return {
    files: {
      output: outputSide.cursor,
      rejects: rejectedOf(rejectsSide),
      repaired: rejectedOf(repairedSide),
      corrections: new Corrections(correctedSide.cursor, width, kept, appended),
      firstLine: afterHeader(input).line,
      lastByte: outputHeader.at(-1),
      ending,
    },
    sides: [outputSide, correctedSide, rejectsSide, repairedSide].filter(side => side !== undefined),
    sources: { output: outputSource, rejects: rejectsSource, corrected: correctedSource },
    headers: { output: outputHeader, rejects: headerBytes(rejectsHeader) },
  };
}

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

/** A header with a line ending: it may have been the end of its file. */
const headerBytes = (header: Header): Buffer =>
  Buffer.concat([header.bytes.subarray(0, header.contentEnd), rejectEnding(header)]);
