import { RowcastError } from '../../base/errors.ts';
import type { ChosenProbabilities } from '../../formats/appended.ts';
import type { Header } from '../../formats/csv/header.ts';
import { type ColumnOptions, outputColumns } from '../../formats/csv/output-columns.ts';
import { rejectColumns } from '../../formats/records/reject-columns.ts';
import type { AppendedCheck } from '../verify/check-appended.ts';
import { appendedCheckOf, compareHeaders, type NamedHeader } from '../verify/compare-header.ts';
import { mismatch } from '../verify/mismatch.ts';

/**
 * The header of the input, which that of its rejects file ends with.
 *
 * @throws RowcastError `difference` if it is not the header of a rejects file
 */
export function inputHeaderOf(rejects: Header, file: string): Header {
  const { bytes, contentStart, names, dialect } = rejects;
  const columns = Buffer.from(rejectColumns.map(name => name + dialect.delimiter).join(''));
  const own = contentStart + columns.length;
  if (!bytes.subarray(contentStart, own).equals(columns))
    throw mismatch('the header is not that of a rejects file', { file, line: 1 });
  return {
    ...rejects,
    bytes: Buffer.concat([bytes.subarray(0, contentStart), bytes.subarray(own)]),
    contentEnd: rejects.contentEnd - columns.length,
    names: names.slice(rejectColumns.length),
  };
}

/** @throws RowcastError `difference` unless two rejects files have the same columns */
export function checkRejects(rejects: Header, other: Header, file: string): void {
  if (contentOf(other).equals(contentOf(rejects))) return;
  throw mismatch('the header is not that of the rejects file', { file, line: 1 });
}

export interface RepairHeaders {
  output: NamedHeader;
  corrected: NamedHeader;
  rejects: NamedHeader;
  /** The header of the input. */
  input: NamedHeader;
}

/**
 * Checks that the corrections have the columns of the output after those of a rejects file.
 *
 * @param options of the run; they decide which columns its output has
 * @returns a check of the fields that are appended to the corrections
 * @throws RowcastError `bad_corrections`, `difference`
 */
export function checkCorrections(
  { output, corrected, rejects, input }: RepairHeaders,
  options: ColumnOptions & ChosenProbabilities,
): AppendedCheck {
  const { dialect, names } = output.header;
  if (options.outputHeader !== false) {
    compareHeaders(input, output, outputColumns(input.header, options, input.file), options);
    const before = rejectColumns.map(name => name + dialect.delimiter).join('');
    const expected = Buffer.concat([Buffer.from(before), contentOf(output.header)]);
    if (!contentOf(corrected.header).equals(expected))
      throw otherColumns(corrected, `the header is not ${before} followed by that of ${output.file}`);
  }
  // Without a header and rows, nothing tells the columns of the output.
  const wanted = names.length === 0 ? undefined : rejectColumns.length + names.length;
  const { length: found } = corrected.header.names;
  if (wanted !== undefined && found > 0 && found !== wanted)
    throw otherColumns(corrected, `there are ${found} columns, but with those of ${output.file} ${wanted}`);
  const own = outputColumns(rejects.header, { ...options, outputHeader: hasHeader(corrected) }, rejects.file);
  try {
    return appendedCheckOf(rejects, corrected, own, options);
  } catch (error) {
    throw error instanceof RowcastError ? otherColumns(corrected, error.message) : error;
  }
}

/** Whether a file has a header line of its own. */
const hasHeader = ({ header }: NamedHeader): boolean => header.instead === undefined;

const otherColumns = ({ file }: NamedHeader, message: string): RowcastError =>
  new RowcastError('bad_corrections', message, {
    location: { file, line: 1 },
    hint: 'Score the corrected rejects file with the options that the output was scored with.',
  });

const contentOf = ({ bytes, contentStart, contentEnd }: Header): Buffer =>
  bytes.subarray(contentStart, contentEnd);
