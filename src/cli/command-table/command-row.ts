import { logOptions } from '../../base/options/observability.ts';
import type { Option, Options } from '../../base/options/option.ts';
import type { Command } from '../context.ts';

/** One command: parsing, dispatch, help, completion and reference all come from its row. */
export interface CommandRow {
  /** One or two words. */
  readonly name: string;
  readonly group: (typeof commandGroups)[number];
  /** What it does, in one line. */
  readonly describe: string;
  readonly positionals?: readonly Positional[];
  /** By heading. */
  readonly options: Readonly<Record<string, Options>>;
  /** Options that must be given. */
  readonly required?: readonly string[];
  /** What is to be done → the command that does it. */
  readonly examples: Readonly<Record<string, string>>;
  /** Loads the command only when it is used. */
  readonly load?: () => Promise<{ run: Command }>;
}

/** An argument; `value` is its placeholder, by default the name in capitals. */
export interface Positional extends Option {
  readonly name: string;
  readonly isRequired?: boolean;
  /** Whether it takes all arguments that are left, but one for each that follows. */
  readonly isRepeated?: boolean;
}

export const commandGroups = ['Score', 'Models', 'Service', 'Scale out', 'Help'] as const;

/** The options of every command. */
const generalOptions = {
  ...logOptions,
  help: {
    kind: 'boolean',
    alias: 'h',
    common: true,
    describe: 'show help: -h the common options, --help all',
  },
  version: { kind: 'boolean', describe: 'show the version' },
} as const satisfies Options;

/** The options of a command by heading, without those that have no flag. */
export function documentedGroups({ options }: CommandRow): [heading: string, options: Options][] {
  const groups = Object.entries(options).map(([heading, table]): [string, Options] => [
    heading,
    Object.fromEntries(Object.entries(table).filter(([, { definitionOnly }]) => !definitionOnly)),
  ]);
  return [...groups, ['General', generalOptions]];
}

/** All options of a command, including those that have no flag. */
export const optionsOf = ({ options }: CommandRow): Options =>
  Object.assign({}, ...Object.values(options), generalOptions);

/** The placeholder of an argument: `INPUT`. */
export const argumentName = ({ name, value }: Positional): string => value ?? name.toUpperCase();
