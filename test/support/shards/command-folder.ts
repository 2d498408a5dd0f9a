import type { TestContext } from 'node:test';
import { commandsIn, type Line } from '../cli/commands.ts';
import { exits } from '../in-process.ts';
import { trainedHome } from '../service/serving.ts';
import { hardCsv } from './hard-csv.ts';

const text = hardCsv(1_200_000);

/** The command that plans the two shards of in.csv. */
export const plan = 'plan in.csv --allow-missing --report one -o out.csv --shard-bytes 1MiB';

/** A folder with an input of two shards, and commands that run in it, with the exit code of each. */
export async function commandFolder(t: TestContext) {
  const commands = await commandsIn(t, { 'in.csv': text }, { ROWCAST_HOME: await trainedHome() });
  const run = (code: number, line: Line, ...says: readonly RegExp[]) =>
    exits(commands.run(line), code, ...says);
  return { ...commands, run };
}
