import { RowcastError } from '../../../base/errors.ts';
import { zlibZstd } from './zlib-zstd.ts';
import type { ZstdEngine } from './zstd-engine.ts';
import { zstdProgram } from './zstd-program.ts';

/**
 * Node's zlib, which has zstd from 22.15 on, or else the program of that name.
 *
 * @param file for messages
 * @throws RowcastError `no_zstd` where there is neither
 */
export function findZstd(file: string): ZstdEngine {
  const engine = zlibZstd ?? zstdProgram();
  if (engine !== undefined) return engine;
  throw new RowcastError(
    'no_zstd',
    `Node ${process.versions.node} has no zstd, and the program zstd is not installed`,
    {
      location: { file },
      hint: 'Use Node 22.15 or later, or install the program zstd.',
    },
  );
}
