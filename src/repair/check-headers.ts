import { RowcastError } from '../errors.ts';
import type { ChosenProbabilities } from '../formats/csv/chosen-appended.ts';
import type { Header } from '../formats/csv/header.ts';
import type { OutputColumns } from '../formats/csv/output-columns.ts';
import { rejectColumns } from '../formats/csv/reject-columns.ts';
import type { AppendedCheck } from '../verify/check-appended.ts';
import { compareHeaders, type NamedHeader } from '../verify/compare-header.ts';
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
  input: NamedHeader;
}

/**
 * Checks that the corrections have the columns of the output after those of a rejects file.
 *
 * @param columns of the output, if they are not those of the input
 * @returns a check of the appended fields
 * @throws RowcastError `bad_corrections`, `difference`
 */
export function checkCorrections(
  { output, corrected, input }: RepairHeaders,
  columns: OutputColumns | undefined,
  chosen: ChosenProbabilities,
): AppendedCheck {
  const check = compareHeaders(input, output, columns, chosen);
  const { names, dialect } = output.header;
  const before = rejectColumns.map(name => name + dialect.delimiter).join('');
  const expected = Buffer.concat([Buffer.from(before), contentOf(output.header)]);
  const isAlike =
    columns?.hasHeader === false
      ? corrected.header.names.length === rejectColumns.length + names.length
      : contentOf(corrected.header).equals(expected);
  if (isAlike) return check;
  throw new RowcastError(
    'bad_corrections',
    `the header is not ${before} followed by that of ${output.file}`,
    {
      location: { file: corrected.file, line: 1 },
      hint: 'Score the corrected rejects file with the options that the output was scored with.',
    },
  );
}

const contentOf = ({ bytes, contentStart, contentEnd }: Header): Buffer =>
  bytes.subarray(contentStart, contentEnd);
