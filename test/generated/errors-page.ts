import { exitCodes } from '../../src/base/errors.ts';
import { commandLineCodes } from '../../src/base/reference/command-line-codes.ts';
import type { CommandErrorDocs, ErrorDoc, ErrorDocs } from '../../src/base/reference/error-doc.ts';
import { inputCodes } from '../../src/base/reference/input-codes.ts';
import { libraryCodes } from '../../src/base/reference/library-codes.ts';
import { type ProblemCode, problemDocs } from '../../src/base/reference/problem-codes.ts';
import { faultDocs, predictionDocs, warningDocs } from '../../src/base/reference/reject-codes.ts';
import { requestCodes } from '../../src/base/reference/request-codes.ts';
import { runCodes } from '../../src/base/reference/run-codes.ts';
import { serviceCodes } from '../../src/base/reference/service-codes.ts';
import { exitCodeTable } from '../../src/cli/help/exit-code-table.ts';
import { failureTable } from '../../src/client/failure-table.ts';
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

The last error on stderr says what happened and where, with its code, and on the next line what to do:

    rowcast: personas.csv:17: the quote that opens on this line is not closed … [unclosed_quote]
      Close it. …

With \`--log-format json\`, this is an object with \`code\`, \`exit_code\`, \`file\`, \`line\`, \`row\`, \`request\`, \`hint\` and
\`retryable\`; the [summary](scoring.md#the-summary) has it as \`error\`. Codes are stable, messages are not.

In parentheses are the exit codes with which each error ends a command. Of 2 and 3, it is 2 while nothing has been done, and 3
once the run has started. An error with 75 is retryable: the same command may succeed later although nobody changes
anything. So is an interrupted run. After 3 and 75, the same command resumes.

### Command line, definition and environment

${commandList(commandLineCodes)}

### Input

${commandList(inputCodes)}

In \`train\`, the codes of [malformed records](#malformed-records) are errors too.

### Output and resume

${commandList(runCodes)}

### Callbacks and scorers of a program

Only the [library](library.md) has these; the exit code is the \`exitCode\` of the error.

${commandList(libraryCodes)}

### Requests to the service

${commandList(requestCodes)}

When the response is a problem with a \`code\`, that code is shown, for example one of
[those of \`rowcast serve\`](#problems-that-the-service-returns).

### Reports, keys, training and serving

${commandList(serviceCodes)}

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

${docsList(faultDocs)}

### Rows without a prediction

${docsList(predictionDocs)}

Other codes come from the service, or from the request that failed for this row alone. A code of the service that equals
one of a malformed record gets the prefix \`service_\`, and text that is not a code becomes \`error\`.

## Warnings

${docsList(warningDocs)}

## Problems that the service returns

Errors of \`rowcast serve\` are \`application/problem+json\` (RFC 9457). Decide by \`code\`, not by \`detail\`. What a client
does about each [follows from its status](#what-happens-when-a-request-fails).

${problemList()}
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

function commandList(docs: CommandErrorDocs): string {
  return Object.entries(docs)
    .map(([code, doc]) => entry(code, doc, doc.exit.join('/') || 'warning'))
    .join('\n');
}

const docsList = (docs: ErrorDocs): string =>
  Object.entries(docs)
    .map(([code, doc]) => entry(code, doc))
    .join('\n');

function problemList(): string {
  const problems = Object.entries(problemDocs).map(([code, doc]) => {
    const status = statusOf(code as ProblemCode); // the keys of the record
    return { code, doc, status };
  });
  return problems
    .sort((one, other) => one.status - other.status)
    .map(({ code, doc, status }) => entry(code, doc, String(status)))
    .join('\n');
}

const entry = (code: string, { cause, fix }: ErrorDoc, detail?: string): string =>
  `- \`${code}\`${detail === undefined ? '' : ` (${detail})`}: ${[cause, fix].filter(Boolean).join(' ')}`;
