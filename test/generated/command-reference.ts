import { commandsIn, helpOf } from './help.ts';
import { MADE } from './markdown.ts';

/** docs/command-reference.md: the help of every command. */
export async function commandReference(): Promise<string> {
  const help = await helpOf([]);
  const sections: string[] = [];
  for (const words of commandsIn(help)) sections.push(...(await sectionsOf(words)));
  return `# Command reference

${MADE}

This is what \`rowcast COMMAND --help\` prints. The options of \`score\` can also be set in a
[definition](definitions.md). [Exit codes and errors](exit-codes-and-errors.md) have their own page.

${block(help)}

${sections.join('\n\n')}
`;
}

/** The sections of a command and of the commands below it. */
async function sectionsOf(words: readonly string[]): Promise<string[]> {
  const help = await helpOf(words);
  const sections = [`## rowcast ${words.join(' ')}\n\n${block(help)}`];
  for (const inner of commandsIn(help))
    if (inner.length > words.length) sections.push(...(await sectionsOf(inner)));
  return sections;
}

const block = (text: string): string => `\`\`\`text\n${text}\n\`\`\``;
