import { exitCodes } from '../../src/base/errors.ts';
import { commandLineCodes } from '../../src/base/reference/command-line-codes.ts';
import type { CommandErrorDocs, ErrorDocs } from '../../src/base/reference/error-doc.ts';
import { inputCodes } from '../../src/base/reference/input-codes.ts';
import { libraryCodes } from '../../src/base/reference/library-codes.ts';
import { type ProblemCode, problemDocs } from '../../src/base/reference/problem-codes.ts';
import { faultDocs, predictionDocs, warningDocs } from '../../src/base/reference/reject-codes.ts';
import { requestCodes } from '../../src/base/reference/request-codes.ts';
import { runCodes } from '../../src/base/reference/run-codes.ts';
import { serviceCodes } from '../../src/base/reference/service-codes.ts';
import { exitCodeTable } from '../../src/cli/help/exit-code-table.ts';
import { failureTable, kindOfStatus } from '../../src/client/failure-table.ts';
import { severities } from '../../src/scoring/failures/call-error.ts';
import type { FailureKind } from '../../src/scoring/failures/failure-rule.ts';
import { statusOf } from '../../src/server/problems/problems.ts';
import { MADE, markdownTable } from './markdown.ts';

/** docs/exit-codes-and-errors.md: every error code with its cause and fix. */
export function errorsPage(): string {
  return `# Exit codes and errors

${MADE}

## Exit codes

${markdownTable(
  ['code', 'meaning', 'what to do'],
  exitCodeTable.map(({ code, meaning, action }) => [code, meaning, action]),
)}

[Scheduling](scheduling.md) says what a scheduler does about each. \`rowcast status\` exits with the code of the run that it
describes: 0 finished, 75 running, 3 stopped; 2 if there is none. \`rowcast serve\` exits with 0 after a graceful shutdown.

## Error messages

The last line on stderr says what happened and where, and ends in the error code. The next line says what to do:

    rowcast: personas.csv:17: the quote that opens on this line is not closed … [unclosed_quote]
      Close it. …

With \`--log-format json\` the same is an object with the members \`code\`, \`exit_code\`, \`file\`, \`line\`, \`row\`,
\`request\`, \`hint\` and \`retryable\`. The [summary](scoring.md#the-summary) has them as \`error\`. Codes are stable;
messages are not.

The tables say with which exit code an error ends a command. Where they say 2 or 3, it is 2 while nothing has been done,
and 3 once the run has started. An error with exit code 75 is retryable: the same command may succeed later, although
nobody changes anything. An interrupted run is retryable too.

### Command line, definition and environment

${commandTable(commandLineCodes)}

### Input

${commandTable(inputCodes)}

In \`train\`, the codes of [malformed records](#malformed-records) are errors too.

### Output and resume

${commandTable(runCodes)}

### Callbacks and scorers of a program

Only the [library](library.md) has these; the exit code is the \`exitCode\` of the error.

${commandTable(libraryCodes)}

### Requests to the service

${commandTable(requestCodes)}

When the response is a problem with a \`code\`, that code is shown, for example one of
[those of \`rowcast serve\`](#problems-that-the-service-returns).

### Reports, keys, training and serving

${commandTable(serviceCodes)}

## What happens when a request fails

${markdownTable(
  ['what happened', 'HTTP status', 'what rowcast does', 'exit code if it ends the run'],
  Object.entries(failureTable).map(([kind, { when, statuses, does }]) => [
    when,
    statuses.join(', '),
    does,
    exitOfKind(kind as FailureKind), // the keys of the table
  ]),
)}

## Reject codes

The column \`reject_code\` of the rejects file says why a row was not scored. See [rejects](rejects.md).

### Malformed records

${docsTable(faultDocs)}

### Rows without a prediction

${docsTable(predictionDocs)}

Other codes come from the service, or from the request that failed for this row alone. A code of the service that equals
one of a malformed record gets the prefix \`service_\`, and text that is not a code becomes \`error\`.

## Warnings

${docsTable(warningDocs)}

## Problems that the service returns

Errors of \`rowcast serve\` are \`application/problem+json\` (RFC 9457). Decide by \`code\`, not by \`detail\`.

${markdownTable(
  ['status', 'code', 'cause', 'fix', 'exit code of the client'],
  Object.entries(problemDocs).map(([code, { cause, fix }]) => {
    const status = statusOf(code as ProblemCode); // the keys of the record
    return [String(status), `\`${code}\``, cause, fix, exitOfKind(kindOfStatus(status))];
  }),
)}
`;
}

/** For docs/scheduling.md: what a scheduler does about each exit code. */
export const schedulerTable = (): string =>
  markdownTable(
    ['exit code', 'meaning', 'what a scheduler does'],
    exitCodeTable.map(({ code, meaning, scheduler }) => [code, meaning, scheduler]),
  );

/** A refusal stops a run that has begun. */
function exitOfKind(kind: FailureKind): string {
  const severity = severities[kind];
  return severity === 'refused' ? '2 or 3' : String(exitCodes[severity]);
}

function commandTable(docs: CommandErrorDocs): string {
  const rows = Object.entries(docs).map(([code, { cause, fix, exit }]) => [
    `\`${code}\``,
    cause,
    fix,
    exit.join(exit.length === 2 ? ' or ' : ', '),
  ]);
  return markdownTable(['code', 'cause', 'fix', 'exit code'], rows);
}

function docsTable(docs: ErrorDocs): string {
  const rows = Object.entries(docs).map(([code, { cause, fix }]) => [`\`${code}\``, cause, fix]);
  return markdownTable(['code', 'cause', 'fix'], rows);
}
