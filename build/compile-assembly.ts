import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../..');
const source = join(root, 'assembly/kernel.ts');
const compiler = join(root, 'node_modules/assemblyscript/bin/asc.js');
const OPTIONS = [
  '-O3',
  '--noAssert',
  '--runtime',
  'stub',
  '--importMemory',
  '--use',
  'abort=',
  '--enable',
  'simd',
];

/** The compiled module, which a build puts into the module that has it as text. */
export const target = join(root, 'assembly/kernel.wasm');

/** What the module should be: always the same for the same source and version of the compiler. */
export async function compiledModule(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'rowcast-assembly-'));
  try {
    const file = join(folder, 'kernel.wasm');
    await promisify(execFile)(process.execPath, [compiler, source, '--outFile', file, ...OPTIONS]);
    return await readFile(file);
  } finally {
    await rm(folder, { recursive: true });
  }
}
