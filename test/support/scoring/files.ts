import type { TestContext } from 'node:test';
import { commandsIn, type Line, wordsOf } from '../cli/commands.ts';
import { type StubOptions, startStub } from '../stub/service.ts';

/** A CSV whose rows differ from those of another one. */
export const csv = (rows: number, from = 0): string =>
  `id,amount\n${Array.from({ length: rows }, (_, row) => `r${row},${from + row}\n`).join('')}`;

/** A folder with files, and commands that ask a stub there. */
export async function filesWith(
  t: TestContext,
  files: Record<string, string | Buffer>,
  options: StubOptions = {},
) {
  const stub = await startStub(t, {
    report: { columns: [{ name: 'id' }, { name: 'amount' }], classes: ['no', 'yes'] },
    ...options,
  });
  const commands = await commandsIn(t, files, stub.env);
  const score = (line: Line) => commands.run(['score', ...wordsOf(line), '--report', 'r']);
  return { ...commands, stub, score, summary: () => commands.jsonIn('s.json') };
}

/** The arguments of a command that scores them all. */
export const all = 'in/**/*.csv* -o out/{name}.csv --summary s.json';
