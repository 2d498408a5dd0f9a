import { readFile } from 'node:fs/promises';
import { RowcastError } from '../../base/errors.ts';
import { reasonOf } from '../../base/system-error.ts';
import { DEFAULT_KEY, type Environment, type KeySource } from './choose-service.ts';

/** @throws RowcastError `no_key` */
export async function readServiceKey(source: KeySource, env: Environment): Promise<string> {
  const key =
    source.kind === 'environment'
      ? env[source.name]
      : await readFile(source.path, 'utf8').catch(cause => {
          throw new RowcastError('no_key', `cannot read the API key: ${reasonOf(cause)}`, {
            location: { file: source.path },
            cause,
          });
        });
  // Characters that a header may contain (RFC 9110 section 5.5), without spaces.
  if (key !== undefined && /^[\x21-\x7e]+$/.test(key.trim())) return key.trim();
  const where = source.kind === 'environment' ? `the variable ${source.name}` : source.path;
  throw new RowcastError('no_key', `no API key in ${where}`, {
    hint:
      source.kind === 'file'
        ? 'Put the key in this file, on one line.'
        : `Set ${source.name}${source.name === DEFAULT_KEY ? ', or name a file with --api-key-file' : ''}.`,
  });
}
