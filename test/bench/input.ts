import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/root.ts';
import { run } from './runs.ts';
import { shapes, writeShape } from './shapes.ts';

/** What others are measured against, where it is there. */
export const peers = join(root, '../shared/peers');

/** Writes so many rows of the usual input: 20 columns of telecom customers, or of our own where these are not there. */
export async function writeUsual(rows: number, path: string): Promise<void> {
  const make = join(peers, 'make_personas.mjs');
  const [plain] = shapes;
  if (existsSync(make)) await run({ file: process.execPath, args: [make, String(rows), path] });
  else await writeShape(plain, rows, path);
}
