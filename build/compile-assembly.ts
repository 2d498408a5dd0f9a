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

/** The module that has the WebAssembly. */
export const target = join(root, 'src/base/kernel/kernel-wasm.ts');

/** What the module should be: always the same for the same source and version of the compiler. */
export async function compiledModule(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rowcast-assembly-'));
  try {
    const file = join(folder, 'kernel.wasm');
    await promisify(execFile)(process.execPath, [compiler, source, '--outFile', file, ...OPTIONS]);
    const lines = (await readFile(file)).toString('base64').match(/.{1,96}/g) ?? [];
    return [
      '// Compiled from assembly/kernel.ts: npm run assembly updates it.',
      '/** A WebAssembly module, in Base64. */',
      `export const kernelWasm = [\n${lines.map(line => `  '${line}',\n`).join('')}].join('');\n`,
    ].join('\n');
  } finally {
    await rm(folder, { recursive: true });
  }
}
