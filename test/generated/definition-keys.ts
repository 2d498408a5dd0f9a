import { type Option, scoreOptions, serviceOptions, trainOptions } from '../../src/config/option-table.ts';
import { markdownTable } from './markdown.ts';

type Options = Readonly<Record<string, Option>>;

/** Tables of docs/definitions.md, by the name of their marker. */
export const definitionTables = (): Map<string, string> =>
  new Map([
    ['score keys', keysTable({ ...scoreOptions, ...serviceOptions })],
    ['train keys', keysTable(trainOptions)],
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
  threshold: 'number or percentage',
  integer: 'integer',
  number: 'number',
  seconds: 'seconds',
  duration: 'duration',
  size: 'bytes',
  flag: 'true or false',
  list: 'list',
  map: 'mapping',
};

function kindOf({ kind, choices }: Option): string {
  if (choices === undefined) return NAMES[kind];
  const listed = choices.map(choice => `\`${choice}\``).join(', ');
  return kind === 'text' ? listed : `${NAMES[kind]} of ${listed}`;
}

function defaultOf({ defaultText, default: value }: Option): string {
  if (defaultText !== undefined) return defaultText;
  if (value === undefined || Array.isArray(value)) return '';
  return `\`${value}\``;
}

const escaped = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '\\<');
