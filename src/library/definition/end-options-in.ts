import { readFile } from 'node:fs/promises';
import { endOptions } from '../../base/options/observability.ts';
import { readDocument } from './document.ts';

/**
 * Whom a definition tells when its run ends, as far as the file can be read: somebody has to learn that it is wrong.
 *
 * @param flags without `trust-definition`, the definition may tell nobody
 */
export async function endOptionsIn(
  file: string,
  flags: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, string>>> {
  if (file === '-' || flags['trust-definition'] !== true) return {};
  const text = await readFile(file, 'utf8').catch(() => ''); // the command says that it cannot be read
  const { score } = Object(readDocument(text).value);
  return Object.fromEntries(
    Object.keys(endOptions).flatMap(name => {
      const value: unknown = Object(score)[name];
      return typeof value === 'string' && value !== '' ? [[name, value]] : [];
    }),
  );
}
