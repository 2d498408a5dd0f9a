import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { definitionSchema } from '../../src/definition/definition.ts';
import { type Option, scoreOptions, serviceOptions } from '../../src/definition/options.ts';
import { root } from '../root.ts';

/** Files, or parts of them, that are made from the option table: path → whole text. */
export function generated(): Map<string, string> {
  return new Map([
    ['pipelines/definition.schema.json', definitionJsonSchema()],
    ['README.md', readmeWithOptions(readFileSync(join(root, 'README.md'), 'utf8'))],
  ]);
}

function definitionJsonSchema(): string {
  return `${JSON.stringify(z.toJSONSchema(definitionSchema), null, 2)}\n`;
}

function readmeWithOptions(readme: string): string {
  const rows = Object.entries({ ...scoreOptions, ...serviceOptions }).map(
    ([name, option]: [string, Option]) => {
      const alias = option.alias === undefined ? '' : `\`-${option.alias}\`, `;
      const flag = option.definitionOnly ? `\`${name}:\` (definition)` : `${alias}\`--${name}\``;
      return `| ${flag} | ${option.describe.replaceAll('|', '\\|')} | ${defaultOf(option)} |`;
    },
  );
  const table = ['| option | meaning | default |', '|---|---|---|', ...rows].join('\n');
  return readme.replace(
    /(<!-- options:[^\n]*-->\n).*?(<!-- \/options -->)/s,
    (_, open, close) => `${open}${table}\n${close}`,
  );
}

function defaultOf({ otherwise, default: value }: Option): string {
  if (otherwise !== undefined) return otherwise;
  if (value === undefined || value === false || Array.isArray(value)) return '';
  return `\`${value}\``;
}
