/** The width of help, whatever the terminal: it is read in pipes and copied into documents too. */
const WIDTH = 80;
/** Where descriptions begin. */
const COLUMN = 30;

/** Two columns: what is described, and its description, which is wrapped. */
export function describedLine(left: string, description: string): string {
  const lines = wrapped(description, WIDTH - COLUMN);
  const indented = lines.map(line => ' '.repeat(COLUMN) + line);
  // A long name has a line of its own.
  if (left.length > COLUMN - 2) return [left, ...indented].join('\n');
  return [left.padEnd(COLUMN) + (lines[0] ?? ''), ...indented.slice(1)].join('\n').trimEnd();
}

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
