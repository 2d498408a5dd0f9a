import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';

/**
 * The reason to skip a test whose programs are not installed.
 *
 * @param install how to install them on Debian
 */
export function missingPrograms(names: readonly string[], install: string): string | false {
  const missing = names.filter(name => spawnSync('/bin/sh', ['-c', `command -v "${name}"`]).status !== 0);
  return missing.length === 0 ? false : `not installed: ${missing.join(', ')}; to install: ${install}`;
}

/** The folder of a program that is installed. */
export const folderOf = (program: string): string =>
  dirname(spawnSync('/bin/sh', ['-c', `command -v "${program}"`], { encoding: 'utf8' }).stdout.trim());
