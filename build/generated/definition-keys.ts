import type { Option, Options } from '../../src/base/options/option.ts';
import { scoreOptions, serviceOptions } from '../../src/base/options/score.ts';
import { scaleOutOptions } from '../../src/base/options/shards.ts';
import { historyOptions, trainOptions } from '../../src/base/options/train.ts';
import { markdownTable } from './markdown.ts';

/** Tables of docs/definitions.md, by the name of their marker. */
export const definitionTables = (): Map<string, string> =>
  new Map([
    ['score keys', keysTable({ ...scoreOptions, ...scaleOutOptions })],
    ['service keys', keysTable(serviceOptions)],
    ['train keys', keysTable({ ...trainOptions, ...historyOptions })],
  ]);

/** The kinds of values with their keys. What a key means, the command reference says of the option of the same name. */
function keysTable(options: Options): string {
  const keysOf = new Map<string, string[]>();
  for (const [name, option] of Object.entries(options)) {
    if (option.flagOnly) continue;
    const kind = kindOf(option);
    keysOf.set(kind, [...(keysOf.get(kind) ?? []), `\`${name}\``]);
  }
  return markdownTable(
    ['value', 'keys'],
    [...keysOf].map(([kind, keys]) => [kind, keys.join(', ')]),
  );
}

const NAMES: Readonly<Record<Option['kind'], string>> = {
  text: 'text',
  path: 'path',
  threshold: 'number or percentage',
  integer: 'integer',
  number: 'number',
  duration: 'duration',
  size: 'size',
  boolean: 'true or false',
  list: 'list',
  selection: '`all`, `none` or list',
  map: 'mapping',
  numbers: 'mapping to numbers',
  structure: 'mapping of its own shape',
};

function kindOf({ kind, choices }: Option): string {
  if (choices === undefined) return NAMES[kind];
  const listed = choices.map(choice => `\`${choice}\``).join(', ');
  return kind === 'text' ? listed : `${NAMES[kind]} of ${listed}`;
}
