import { documentedGroups } from '../../src/cli/command-table/command-row.ts';
import { commands } from '../../src/cli/command-table/commands.ts';
import { commandHelp, paragraph, rootHelp, valueNotes } from '../../src/cli/help/help-text.ts';
import { MADE } from './markdown.ts';

/** docs/command-reference.md: the help of every command, in which an option is explained under the first command that has it. */
export function commandReference(): string {
  const explained = new Map<string, string>();
  const noted = new Set<string>();
  const sections = commands.map(command => {
    const isExplained = (name: string, describe: string): boolean => explained.get(name) === describe;
    const notes = valueNotes(command, isExplained).map(note => paragraph(note));
    const text = withoutNotes(
      commandHelp(command, false, isExplained),
      notes.filter(note => noted.has(note)),
    );
    for (const note of notes) {
      noted.add(note);
    }
    for (const [, options] of documentedGroups(command)) {
      for (const [name, { describe }] of Object.entries(options)) {
        if (!explained.has(name)) {
          explained.set(name, describe);
        }
      }
    }
    return `## rowcast ${command.name}\n\n${block(text)}`;
  });
  return `# Command reference

${MADE}

\`rowcast COMMAND --help\` explains all options of a command, and so does \`man rowcast\`. Here an option is explained once,
under the first command that has it; the others list it at their end. The options of \`score\` can also be set in a
[definition](definitions.md). [Exit codes and errors](exit-codes-and-errors.md) have a page of their own.

${block(withoutExitCodes(rootHelp(false)))}

${sections.join('\n\n')}
`;
}

/** Another page owns the exit codes. */
const withoutExitCodes = (help: string): string => help.replace(/^Exit codes:\n.*?\n\n/ms, '');

/** Notes about the notation of values are the last lines of a help. */
const withoutNotes = (help: string, notes: readonly string[]): string =>
  notes.reduce((text, note) => text.replace(`${note}\n`, ''), help).replace(/\n+$/, '\n');

const block = (text: string): string => `\`\`\`text\n${text}\`\`\``;
