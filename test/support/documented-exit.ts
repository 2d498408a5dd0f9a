import assert from 'node:assert/strict';
import { commandLineCodes } from '../../src/error-codes/command-line-codes.ts';
import type { CommandErrorDocs } from '../../src/error-codes/error-doc.ts';
import { inputCodes } from '../../src/error-codes/input-codes.ts';
import { requestCodes } from '../../src/error-codes/request-codes.ts';
import { runCodes } from '../../src/error-codes/run-codes.ts';
import { serviceCodes } from '../../src/error-codes/service-codes.ts';
import type { Finished } from './rowcast.ts';

const docs: CommandErrorDocs = {
  ...serviceCodes,
  ...requestCodes,
  ...runCodes,
  ...inputCodes,
  ...commandLineCodes,
};

/** Checks that the error which ended a command has one of the exit codes that the reference gives for it. */
export function assertDocumentedExit({ code, stderr }: Pick<Finished, 'code' | 'stderr'>): void {
  const [, error = ''] = /(?:^|\n)rowcast: [^\n]*\[(\w+)\]\n(?: {2}[^\n]*\n)?$/.exec(stderr) ?? [];
  const exits: readonly number[] | undefined = docs[error]?.exit;
  // The last line may also be a warning.
  if (exits === undefined || code === null || code <= 1) return;
  assert.ok(
    exits.includes(code),
    `exit code ${code} for ${error}, which is documented as ${exits}:\n${stderr}`,
  );
}
