import { readArguments } from '../../src/cli/parse-arguments.ts';

const WIDTH = 100;

/** The help of a command, as printed on a terminal of 100 columns. */
export async function helpOf(command: readonly string[]): Promise<string> {
  const { log } = console;
  const { columns } = process.stdout;
  const printed: string[] = [];
  console.log = (text: string): void => void printed.push(text);
  process.stdout.columns = WIDTH;
  try {
    await readArguments([...command, '--help'], '');
  } finally {
    console.log = log;
    process.stdout.columns = columns;
  }
  return printed.join('\n').trim().replace(/ +$/gm, '');
}

/** The words of every command that a help text lists, without its arguments. */
export function commandsIn(help: string): string[][] {
  const [, listed = ''] = /^Commands:\n((?: .*\n)*)/m.exec(help) ?? [];
  return [...listed.matchAll(/^ {2}rowcast ((?:[a-z-]+(?: |$))+)/gm)].map(([, words = '']) =>
    words.trim().split(' '),
  );
}
