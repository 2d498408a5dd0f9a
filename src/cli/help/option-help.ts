import type { Option, Options } from '../../base/options/option.ts';
import { placeholderOf } from '../../base/options/values/option-text.ts';
import { argumentName, type CommandRow, documentedGroups } from '../command-table/command-row.ts';

/** Whether an option with this description is explained elsewhere, so that its name is enough. */
export type IsExplained = (name: string, describe: string) => boolean;

/** How an option is written: `-o, --output FILE`. */
export function optionSyntax(name: string, option: Option): string {
  const short = option.alias === undefined ? '' : `-${option.alias}, `;
  return `${short}--${name} ${placeholderOf(option)}`.trimEnd();
}

/** How a command is called: `rowcast score [INPUT] [options]`. */
export function usageLine({ name, positionals = [] }: CommandRow): string {
  const words = positionals.map(positional => {
    const shown = `${argumentName(positional)}${positional.isRepeated ? ' ...' : ''}`;
    return positional.isRequired ? shown : `[${shown}]`;
  });
  return ['rowcast', name, ...words, '[options]'].join(' ');
}

/** How values are written, for the kinds that a command has. */
export function valueNotes(command: CommandRow, isExplained: IsExplained): string[] {
  const kinds = new Set(
    documentedGroups(command).flatMap(([, group]: [string, Options]) =>
      Object.entries(group)
        .filter(([name, { describe }]) => !isExplained(name, describe))
        .map(([, { kind }]) => kind),
    ),
  );
  return NOTES.flatMap(({ kind, text }) => (kinds.has(kind) ? [text] : []));
}

const NOTES: readonly { kind: Option['kind']; text: string }[] = [
  { kind: 'duration', text: 'A DURATION is a number of seconds, or has a unit: 500ms, 90s, 5m, 2h, 1d.' },
  { kind: 'size', text: 'A SIZE is a number of bytes, or has a unit: 64K or 64KiB, 1M or 1MiB, 2G or 2GiB.' },
  { kind: 'list', text: `A LIST is comma-separated; quote items as in CSV: 'a,"b,c"'.` },
  { kind: 'map', text: `A MAP is a comma-separated list of NAME=VALUE: 'zip=categorical,"a,b=date"'.` },
  {
    kind: 'threshold',
    text: 'A percentage takes effect after 1,000 rows, and at the end of the run; as a minimum, at the end only.',
  },
];
