import { commandLineCodes, libraryCodes } from './command-line-codes.ts';
import type { ErrorDoc, ErrorDocs } from './error-doc.ts';
import { inputCodes } from './input-codes.ts';
import { problemDocs } from './problem-codes.ts';
import { faultDocs, predictionDocs } from './reject-codes.ts';
import { requestCodes } from './request-codes.ts';
import { runCodes } from './run-codes.ts';
import { serviceCodes, storeCodes } from './service-codes.ts';

const tables: readonly ErrorDocs[] = [
  ...[
    commandLineCodes,
    inputCodes,
    runCodes,
    libraryCodes,
    storeCodes,
    requestCodes,
    serviceCodes,
    problemDocs,
    faultDocs,
    predictionDocs,
  ],
];

/**
 * What an error, or a rejected row, with this code means, in fixed words; undefined for a code that is not one of ours.
 */
export function causeOfCode(code: string): string | undefined {
  const [, status] = /^http_(\d{3})$/.exec(code) ?? [];
  return docOfCode(code)?.cause.replace('NNN', status ?? '');
}

/** What to do about an error with this code, in fixed words; undefined if its cause says it already. */
export const fixOfCode = (code: string): string | undefined => docOfCode(code)?.fix;

function docOfCode(code: string): ErrorDoc | undefined {
  if (/^http_\d{3}$/.test(code)) return requestCodes.http_NNN;
  return tables.find(table => Object.hasOwn(table, code))?.[code];
}
