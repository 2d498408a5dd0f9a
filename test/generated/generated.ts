import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { failureTable } from '../../src/client/failures.ts';
import { definitionSchema } from '../../src/config/definition.ts';
import { type Option, scoreOptions, serviceOptions } from '../../src/config/option-table.ts';
import { root } from '../support/root.ts';

/** Files, or parts of them, that are made from the option table: path → whole text. */
export function generated(): Map<string, string> {
  return new Map([
    ['pipelines/definition.schema.json', definitionJsonSchema()],
    ['README.md', readmeWithTables(readFileSync(join(root, 'README.md'), 'utf8'))],
  ]);
}

function definitionJsonSchema(): string {
  return `${JSON.stringify(z.toJSONSchema(definitionSchema), null, 2)}\n`;
}

function readmeWithTables(readme: string): string {
  return [optionsTable(), failuresTable()].reduce(
    (text, { name, table }) =>
      text.replace(
        new RegExp(`(<!-- ${name}:[^\\n]*-->\\n).*?(<!-- /${name} -->)`, 's'),
        (_, open, close) => `${open}${table.join('\n')}\n${close}`,
      ),
    readme,
  );
}

interface Table {
  name: string;
  table: string[];
}

function optionsTable(): Table {
  const rows = Object.entries({ ...scoreOptions, ...serviceOptions }).map(
    ([name, option]: [string, Option]) => {
      const alias = option.alias === undefined ? '' : `\`-${option.alias}\`, `;
      const flag = option.definitionOnly ? `\`${name}:\` (definition)` : `${alias}\`--${name}\``;
      return `| ${flag} | ${option.describe.replaceAll('|', '\\|')} | ${defaultOf(option)} |`;
    },
  );
  return { name: 'options', table: ['| option | meaning | default |', '|---|---|---|', ...rows] };
}

function failuresTable(): Table {
  const rows = Object.values(failureTable).map(
    ({ when, statuses, does }) =>
      `| ${when}${statuses.length === 0 ? '' : ` (${statuses.join(', ')})`} | ${does} |`,
  );
  return { name: 'failures', table: ['| what happens | what is done |', '|---|---|', ...rows] };
}

function defaultOf({ otherwise, default: value }: Option): string {
  if (otherwise !== undefined) return otherwise;
  if (value === undefined || value === false || Array.isArray(value)) return '';
  return `\`${value}\``;
}
