import { join } from 'node:path';
import { root } from '../support/root.ts';
import { run } from './runs.ts';

/** Other scripts that do the job, to compare with, and the one that writes their input. */
export const peers = join(root, 'test/bench/peers');

/** Writes `rows` rows of the usual input: 20 columns of telecom customers. */
export async function writeUsual(rows: number, path: string): Promise<void> {
  await run({ file: process.execPath, args: [join(peers, 'make_personas.mjs'), String(rows), path] });
}
