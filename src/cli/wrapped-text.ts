/** The width of what is printed, whatever the terminal: it is read in pipes and copied into documents too. */
export const WIDTH = 80;

/** A paragraph at an indent. */
export const paragraph = (text: string, indent = 0): string =>
  wrapped(text, WIDTH - indent)
    .map(line => ' '.repeat(indent) + line)
    .join('\n');

/** Lines of at most so many characters, broken at spaces; a longer word has a line of its own. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
