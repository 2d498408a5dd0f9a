import { evaluateTable } from '../src/base/options/evaluate/evaluate-options.ts';
import { defaultTextOf, type Option, type Options } from '../src/base/options/option.ts';
import { camelCase } from '../src/base/options/values/resolve-options.ts';
import {
  historyTable,
  importTable,
  probeOptions,
  programOptions,
  verifyTable,
} from '../src/library/options/library-options.ts';

const TABLES: Readonly<Record<string, Options>> = {
  GivenScoreOptions: programOptions,
  GivenProbeOptions: probeOptions,
  GivenVerifyOptions: verifyTable,
  GivenHistoryOptions: historyTable,
  GivenImportOptions: importTable,
  GivenEvaluateOptions: evaluateTable,
};

/**
 * The declarations of the library's options, with a comment for each: editors show none for members of a mapped type.
 */
export const withOptionTexts = (declarations: string): string =>
  declarations.replace(
    /^export interface (Given\w+Options) extends (Given<.*>) \{\n\}/gm,
    (_, name: string, all: string) => {
      const members = Object.entries(TABLES[name] ?? {}).map(([key, option]) => {
        const member = camelCase(key);
        return `  /** ${textOf(option)} */\n  ${member}?: ${all}['${member}'];\n`;
      });
      return `export interface ${name} {\n${members.join('')}}`;
    },
  );

/** What the option does, its unit, and its default. */
function textOf(option: Option): string {
  const { describe, kind } = option;
  const isQuoted = option.defaultText === undefined;
  const fallback = option.default === false ? 'false' : defaultTextOf(option);
  const shown = fallback === undefined ? 'none' : isQuoted ? `\`${fallback}\`` : fallback;
  const text = [`${describe.charAt(0).toUpperCase()}${describe.slice(1)}.`, UNITS[kind] ?? ''];
  return [...text, `Default: ${shown}.`]
    .filter(part => part !== '')
    .join(' ')
    .replace(/\w*<\w+>(?:_<\w+>)?/g, name => `\`${name}\``)
    .replace('as OLD=NEW', 'as `{ OLD: NEW }`')
    .replace(/--([a-z][a-z0-9-]*)/g, (_, flag) => `\`${camelCase(flag)}\``);
}

const UNITS: { readonly [kind in Option['kind']]?: string } = {
  threshold: "A number, or a percentage such as `'1%'`, which counts from 1,000 rows on.",
  duration: "In seconds, or text such as `'90s'` or `'5m'`.",
  size: "In bytes, or text such as `'64KiB'`.",
  numbers: 'As `{ CLASS: X }`.',
};
