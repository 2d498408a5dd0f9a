import type { Option, Options } from '../../src/base/options/option.ts';
import { scoreOptions, serviceOptions } from '../../src/base/options/score.ts';
import { scaleOutOptions } from '../../src/base/options/shards.ts';
import { historyOptions, trainOptions } from '../../src/base/options/train.ts';
import { defaultTextOf } from '../../src/base/options/values/option-text.ts';
import { markdownTable } from './markdown.ts';

/** Tables of docs/definitions.md, by the name of their marker. */
export const definitionTables = (): Map<string, string> =>
  new Map([
    ['score keys', keysTable({ ...scoreOptions, ...scaleOutOptions })],
    ['service keys', keysTable(serviceOptions)],
    ['train keys', keysTable({ ...trainOptions, ...historyOptions })],
  ]);

function keysTable(options: Options): string {
  const rows = Object.entries(options).map(([name, option]) => [
    `\`${name}\``,
    escaped(kindOf(option)),
    escaped(option.describe),
    escaped(defaultOf(option)),
  ]);
  return markdownTable(['key', 'value', 'meaning', 'default'], rows);
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
};

function kindOf({ kind, choices }: Option): string {
  if (choices === undefined) return NAMES[kind];
  const listed = choices.map(choice => `\`${choice}\``).join(', ');
  return kind === 'text' ? listed : `${NAMES[kind]} of ${listed}`;
}

function defaultOf(option: Option): string {
  const text = option.default === false ? 'false' : (defaultTextOf(option) ?? '');
  return option.defaultText === undefined && text !== '' ? `\`${text}\`` : text;
}

const escaped = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '\\<');
