import { commands } from '../../src/cli/command-table/commands.ts';
import { commandHelp, rootHelp } from '../../src/cli/help/help-text.ts';
import { MADE } from './markdown.ts';

/** docs/command-reference.md: the help of every command. */
export function commandReference(): string {
  const sections = commands.map(
    command => `## rowcast ${command.name}\n\n${block(commandHelp(command, false))}`,
  );
  return `# Command reference

${MADE}

This is what \`rowcast COMMAND --help\` prints; \`man rowcast\` has it too. The options of \`score\` can also be set in a
[definition](definitions.md). [Exit codes and errors](exit-codes-and-errors.md) have a page of their own.

${block(rootHelp(false))}

${sections.join('\n\n')}
`;
}

const block = (text: string): string => `\`\`\`text\n${text}\`\`\``;
