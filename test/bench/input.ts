import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/root.ts';
import { run } from './runs.ts';
import { shapes, writeShape } from './shapes.ts';

/** Other tools and their data, if available. */
export const peers = join(root, '../shared/peers');

/** Writes `rows` rows of the usual input: 20 columns of telecom customers, or generated ones if these are not available. */
export async function writeUsual(rows: number, path: string): Promise<void> {
  const make = join(peers, 'make_personas.mjs');
  const [plain] = shapes;
  if (existsSync(make)) await run({ file: process.execPath, args: [make, String(rows), path] });
  else await writeShape(plain, rows, path);
}
