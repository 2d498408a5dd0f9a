import { describeWithDefault, type Option } from '../../src/base/options/option.ts';
import { argumentName, type CommandRow, documentedGroups } from '../../src/cli/command-table/command-row.ts';
import { commands } from '../../src/cli/command-table/commands.ts';
import { environmentVariables, optionSyntax, usageLine, valueNotes } from '../../src/cli/help/help-text.ts';
import { listItem, MADE } from './markdown.ts';

/** A heading of a command, with the names of the options that are explained under it. */
interface Explained {
  readonly command: string;
  readonly heading: string;
  readonly names: readonly string[];
}

/** docs/command-reference.md: every command, with an item for each option, under the first command that has it. */
export function commandReference(): string {
  const describes = new Map<string, string>();
  const explained: Explained[] = [];
  const shown = new Set<string>();
  const sections = commands.map(command => {
    const groups = documentedGroups(command).map(([heading, options]) => {
      const isOld = (name: string, { describe }: Option): boolean => describes.get(name) === describe;
      const entries = Object.entries(options);
      return {
        heading,
        fresh: entries.filter(([name, option]) => !isOld(name, option)),
        known: entries.filter(([name, option]) => isOld(name, option)).map(([name]) => name),
      };
    });
    const known = groups.filter(({ heading }) => heading !== 'General').flatMap(group => group.known);
    const text = sectionOf(command, groups, alsoOf(known, explained), shown);
    for (const { heading, fresh } of groups) {
      const names = fresh.map(([name]) => name).filter(name => !describes.has(name));
      explained.push({ command: command.name, heading, names });
      for (const [name, { describe }] of fresh) if (!describes.has(name)) describes.set(name, describe);
    }
    return text;
  });
  const notes = [...new Set(commands.flatMap(command => valueNotes(command)))];
  return `# Command reference

${MADE}

Each option and argument is explained once, under the first command that has it; \`rowcast COMMAND --help\` explains all
of a command, with examples, and \`-h\` the common ones. Every command has the options under General of \`score\`.

${[...notes, ...environmentVariables.map(([name, text]) => `\`${name}\`: ${text}.`)].map(note => listItem(escaped(note))).join('\n')}

${sections.join('\n\n')}
`;
}

function sectionOf(
  command: CommandRow,
  groups: readonly { heading: string; fresh: readonly [string, Option][] }[],
  also: string,
  shown: Set<string>,
): string {
  const { name, positionals = [] } = command;
  const fresh = groups.filter(group => group.fresh.length > 0);
  const lists = fresh.map(group =>
    group.fresh.map(([option, row]) => item(optionSyntax(option, row), row)).join('\n'),
  );
  // Few options need no headings.
  const items =
    lists.join('\n').split('\n- ').length < 10
      ? [lists.join('\n')]
      : fresh.map(({ heading }, i) => `**${heading}**\n\n${lists[i]}`);
  return [
    `## rowcast ${name}`,
    paragraphOf(callOf(command)),
    positionals
      .filter(({ describe: text }) => !shown.has(text) && shown.add(text))
      .map(each => item(argumentName(each), each))
      .join('\n'),
    ...items,
    also,
  ]
    .filter(part => part !== '')
    .join('\n\n');
}

/** The arguments of a command, and what it does; its name is in the heading. */
function callOf(command: CommandRow): string {
  const { name, describe } = command;
  const call = usageLine(command).slice(`rowcast ${name}`.length, -'[options]'.length).trim();
  const sentence = `${escaped(describe)}.`;
  return call === '' ? sentence.charAt(0).toUpperCase() + sentence.slice(1) : `\`${call}\`: ${sentence}`;
}

const item = (syntax: string, option: Option): string =>
  listItem(
    `\`${syntax}\`: ${escaped(describeWithDefault(option).replace(/ \(default: (none|no limit|all|-|0|the definition's)\)$/, ''))}`,
  );

/** The options that were explained before: by heading where a command has most of one, else by name. */
function alsoOf(known: readonly string[], explained: readonly Explained[]): string {
  const most = explained.filter(({ names }) => {
    const had = names.filter(name => known.includes(name)).length;
    return had > 1 && had >= names.length * 0.6;
  });
  const single = known.filter(name => !most.some(({ names }) => names.includes(name)));
  const parts = [...new Set(most.map(({ command }) => command))].map(name => {
    const headings = most
      .filter(({ command }) => command === name)
      .map(({ heading, names }) => {
        const without = names.filter(option => !known.includes(option)).map(option => `\`--${option}\``);
        return without.length === 0 ? heading : `${heading} (but ${without.join(', ')})`;
      });
    return `of \`${name}\` those under ${headings.join(', ')}`;
  });
  if (single.length > 0) parts.push(single.map(name => `\`--${name}\``).join(', '));
  return parts.length === 0 ? '' : paragraphOf(`Also ${parts.join('; ')}.`);
}

const paragraphOf = (text: string): string => listItem(text).replace(/^- /, '').replaceAll('\n  ', '\n');

/** Text of help as Markdown. */
const escaped = (text: string): string => text.replaceAll(/[<*]|\b_|(?<=\s)_/g, '\\$&');
