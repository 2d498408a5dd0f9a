import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { commandLineCodes, libraryCodes } from '../../../src/base/reference/command-line-codes.ts';
import type { ErrorDocs } from '../../../src/base/reference/error-doc.ts';
import { inputCodes } from '../../../src/base/reference/input-codes.ts';
import { problemDocs } from '../../../src/base/reference/problem-codes.ts';
import { faultDocs, predictionDocs, warningDocs } from '../../../src/base/reference/reject-codes.ts';
import { requestCodes } from '../../../src/base/reference/request-codes.ts';
import { runCodes } from '../../../src/base/reference/run-codes.ts';
import { serviceCodes, storeCodes } from '../../../src/base/reference/service-codes.ts';
import { root } from '../../support/root.ts';

const errorTables = [
  commandLineCodes,
  inputCodes,
  runCodes,
  requestCodes,
  serviceCodes,
  storeCodes,
  libraryCodes,
];
const documented = new Set(
  [...errorTables, faultDocs, predictionDocs, warningDocs, problemDocs].flatMap(table => Object.keys(table)),
);

const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.ts') && !file.startsWith('error-codes'))
  .map(file => ({ file, text: readFileSync(join(root, 'src', file), 'utf8') }));

/** Codes that are not literals where an error is created: they cross a thread, or come from a table or a response. */
const passedOn = [
  'code',
  'fault.code',
  'failure.code',
  'why.code',
  'cause.code',
  'isSafe(code) ? code : `http_$' + '{statusCode}`',
];

describe('the tables of error codes', () => {
  it('document every code of an error', () => {
    const missing = sources.flatMap(({ file, text }) =>
      codesIn(text)
        .filter(code => !documented.has(code))
        .map(code => `${code} in ${file}`),
    );
    assert.deepEqual(missing, []);
  });

  it('can be checked, because nearly every code is a literal where the error is created', () => {
    const given = sources.flatMap(({ text }) => codeArguments(text)).map(words => words.trim());
    assert.ok(given.length > 50, `${given.length} errors are created`);
    const unknown = given.filter(words => literals(words).length === 0 && !passedOn.includes(words));
    assert.deepEqual(unknown, []);
  });

  it('contain no unused code', () => {
    const text = sources.map(source => source.text).join('\n');
    const unused = [...documented].filter(code => code !== 'http_NNN' && !text.includes(`'${code}'`));
    const unusedProblems = Object.keys(problemDocs).filter(code => !text.includes(`${code}: `));
    assert.deepEqual(
      unused.filter(code => !(code in problemDocs) || unusedProblems.includes(code)),
      [],
    );
  });

  it('contain each error code once', () => {
    const codes = errorTables.flatMap(table => Object.keys(table));
    assert.deepEqual(codes, [...new Set(codes)]);
  });

  it('have complete sentences', () => {
    const tables: ErrorDocs[] = [...errorTables, faultDocs, predictionDocs, warningDocs, problemDocs];
    for (const { cause, fix } of tables.flatMap(table => Object.values(table))) {
      assert.match(cause, /^[A-Z`].*\.$/);
      if (fix !== undefined) assert.match(fix, /^[A-Z`].*\.$/);
    }
  });
});

/** Every code that a source gives to an error. */
function codesIn(text: string): string[] {
  const members = [...text.matchAll(/\bcode: '([a-z_]+)'/g)].map(([, code = '']) => code);
  return [...codeArguments(text).flatMap(literals), ...members];
}

/** The code argument of each error that a source file creates. */
function codeArguments(text: string): string[] {
  const made = [...text.matchAll(/new (RowcastError|CallError)\(/g)];
  return made.map(({ 0: start, 1: name, index }) => {
    const given = argumentsFrom(text, index + start.length);
    return (name === 'CallError' ? given[1] : given[0]) ?? '';
  });
}

/** The arguments of a call, from the offset after its parenthesis on. */
function argumentsFrom(text: string, from: number): string[] {
  const given = [''];
  let depth = 0;
  let quote = '';
  for (let at = from; at < text.length && depth >= 0; at++) {
    const char = text.charAt(at);
    if (quote !== '') quote = char === quote && text.charAt(at - 1) !== '\\' ? '' : quote;
    else if (/['"`]/.test(char)) quote = char;
    else if (/[([{]/.test(char)) depth++;
    else if (/[)\]}]/.test(char)) depth--;
    if (char === ',' && depth === 0 && quote === '') given.push('');
    else given[given.length - 1] += char;
  }
  return given;
}

const literals = (words: string): string[] =>
  [...words.matchAll(/'([a-z_]+)'/g)].map(([, code = '']) => code);
