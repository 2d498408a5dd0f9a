import { exitCodeTable } from '../../src/cli/help/exit-code-table.ts';
import { failureTable } from '../../src/client/failure-table.ts';
import { commandLineCodes } from '../../src/error-codes/command-line-codes.ts';
import type { ErrorDocs } from '../../src/error-codes/error-doc.ts';
import { inputCodes } from '../../src/error-codes/input-codes.ts';
import { problemDocs } from '../../src/error-codes/problem-codes.ts';
import { faultDocs, predictionDocs, warningDocs } from '../../src/error-codes/reject-codes.ts';
import { requestCodes } from '../../src/error-codes/request-codes.ts';
import { runCodes } from '../../src/error-codes/run-codes.ts';
import { serviceCodes } from '../../src/error-codes/service-codes.ts';
import { type ProblemCode, statusOf } from '../../src/server/problems/problems.ts';
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

## Error messages

The last line on stderr says what happened and where, and ends in the error code. The next line says what to do:

    rowcast: personas.csv:17: the quote that opens on this line is not closed … [unclosed_quote]
      Close it. …

With \`--log-format json\` the same is an object with the members \`code\`, \`exit_code\`, \`file\`, \`line\`, \`row\`,
\`request\` and \`hint\`. The [summary](resume-and-guarantees.md) has them as \`error\`. Codes are stable; messages are not.

An error has exit code 2 while nothing has been done, and 3 once the run has started. Exceptions are \`unbalanced\` and
\`difference\` (4), and \`interrupted\` (129, 130, 143).

### Command line, definition and environment

${docsTable(commandLineCodes)}

### Input

${docsTable(inputCodes)}

In \`train\`, the codes of [malformed records](#malformed-records) are errors too.

### Output and resume

${docsTable(runCodes)}

### Requests to the service

${docsTable(requestCodes)}

When the response is a problem with a \`code\`, that code is shown, for example one of
[those of \`rowcast serve\`](#problems-that-the-service-returns).

### Reports, keys, training and serving

${docsTable(serviceCodes)}

## What happens when a request fails

${markdownTable(
  ['what happened', 'HTTP status', 'what rowcast does'],
  Object.values(failureTable).map(({ when, statuses, does }) => [when, statuses.join(', '), does]),
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
  ['status', 'code', 'cause', 'fix'],
  Object.entries(problemDocs).map(([code, { cause, fix }]) => [
    String(statusOf(code as ProblemCode)), // the keys of the record
    `\`${code}\``,
    cause,
    fix,
  ]),
)}
`;
}

function docsTable(docs: ErrorDocs): string {
  const rows = Object.entries(docs).map(([code, { cause, fix }]) => [`\`${code}\``, cause, fix]);
  return markdownTable(['code', 'cause', 'fix'], rows);
}
