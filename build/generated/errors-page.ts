import { exitCodes } from '../../src/base/errors.ts';
import { commandLineCodes, libraryCodes } from '../../src/base/reference/command-line-codes.ts';
import type {
  CommandErrorDoc,
  CommandErrorDocs,
  ErrorDoc,
  ErrorDocs,
} from '../../src/base/reference/error-doc.ts';
import { inputCodes } from '../../src/base/reference/input-codes.ts';
import { type ProblemCode, problemDocs } from '../../src/base/reference/problem-codes.ts';
import { faultDocs, predictionDocs, warningDocs } from '../../src/base/reference/reject-codes.ts';
import { requestCodes } from '../../src/base/reference/request-codes.ts';
import { runCodes } from '../../src/base/reference/run-codes.ts';
import { serviceCodes, storeCodes } from '../../src/base/reference/service-codes.ts';
import { exitCodeTable } from '../../src/cli/help/help-text.ts';
import { failureTable } from '../../src/client/failure-table.ts';
import { severities } from '../../src/scoring/failures/call-error.ts';
import type { FailureKind } from '../../src/scoring/failures/failure-rule.ts';
import { statusOf } from '../../src/server/problems/problems.ts';
import { listItem, MADE, markdownTable } from './markdown.ts';

/** docs/exit-codes-and-errors.md: every error code with its cause and fix. */
export function errorsPage(): string {
  return `# Exit codes and errors

${MADE}

## Exit codes

${markdownTable(
  ['code', 'meaning', 'what to do'],
  exitCodeTable.map(({ code, meaning, action }) => [code, meaning, action]),
)}

\`rowcast status\` exits with 0 for a finished run, 75 for a running one, 3 for a stopped one, 2 for none. See
[schedules](many-files.md#schedules).

## Error messages

An error on stderr says what happened and where, with its code, then what to do. With \`--log-format json\` it is an
object with \`code\`, \`exit_code\`, \`file\`, \`line\`, \`row\`, \`request\`, \`hint\` and \`retryable\`. Codes are stable, messages
are not. Parentheses have exit codes other than 2; (2/3) is 2 before the run has started. Errors with 75 may go away by
themselves.

### Command line, definition and environment

${commandList(commandLineCodes)}

### Input

${commandList(inputCodes)}

In \`train\`, the codes of [malformed records](#malformed-records) are errors too.

### Output and resume

${commandList(runCodes)}

### Object stores

${commandList(storeCodes)}

### Callbacks and scorers of a program

Only the [library](library.md) has these, with the exit code as \`exitCode\`.

${commandList(libraryCodes)}

### Requests to the service

${commandList(requestCodes)}

If the response is a problem, its code is shown, such as one [of \`rowcast serve\`](running-the-service.md#problem-codes).

### Reports, keys, training and serving

${commandList(serviceCodes)}

## What happens when a request fails

${markdownTable(
  ['what happened', 'HTTP status', 'what rowcast does', 'exit code if it ends the run'],
  Object.entries(failureTable).map(([kind, { when, statuses, causes, does }]) => [
    when,
    statuses.length + causes.length === 0 ? '' : statuses.join(', '),
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
`;
}

/** A refusal stops a run that has begun. */
function exitOfKind(kind: FailureKind): string {
  const severity = severities[kind];
  return severity === 'refused' ? '2 or 3' : String(exitCodes[severity]);
}

function commandList(docs: CommandErrorDocs): string {
  return Object.entries(docs)
    .map(([code, doc]) => entry(code, doc, exitOf(doc)))
    .join('\n');
}

/** Most errors end a command with 2. */
const exitOf = ({ exit }: CommandErrorDoc): string | undefined =>
  exit.length === 1 && exit[0] === 2 ? undefined : exit.join('/') || 'warning';

const docsList = (docs: ErrorDocs): string =>
  Object.entries(docs)
    .map(([code, doc]) => entry(code, doc))
    .join('\n');

/** For docs/running-the-service.md: the problems of the service, by status. */
export function problemList(): string {
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
  listItem(
    `\`${code}\`${detail === undefined ? '' : ` (${detail})`}: ${[cause, fix].filter(Boolean).join(' ')}`,
  );
