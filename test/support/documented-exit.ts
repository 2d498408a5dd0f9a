import assert from 'node:assert/strict';
import { commandLineCodes } from '../../src/base/reference/command-line-codes.ts';
import type { CommandErrorDocs } from '../../src/base/reference/error-doc.ts';
import { inputCodes } from '../../src/base/reference/input-codes.ts';
import { requestCodes } from '../../src/base/reference/request-codes.ts';
import { runCodes } from '../../src/base/reference/run-codes.ts';
import { serviceCodes, storeCodes } from '../../src/base/reference/service-codes.ts';
import type { Finished } from './rowcast.ts';

const docs: CommandErrorDocs = {
  ...serviceCodes,
  ...requestCodes,
  ...runCodes,
  ...inputCodes,
  ...storeCodes,
  ...commandLineCodes,
};

/** Checks that the error which ended a command has one of the exit codes that the reference gives for it. */
export function assertDocumentedExit({ code, stderr }: Pick<Finished, 'code' | 'stderr'>): void {
  const [, error = ''] = /(?:^|\n)rowcast: [^\n]*\[(\w+)\]\n(?: {2}[^\n]*\n)?$/.exec(stderr) ?? [];
  const exits: readonly number[] | undefined = docs[error]?.exit;
  // The last line may also be a warning, and a signal may end a command while it waits.
  if (exits === undefined || code === null || code <= 1 || code > 128) return;
  assert.ok(
    exits.includes(code),
    `exit code ${code} for ${error}, which is documented as ${exits}:\n${stderr}`,
  );
}
