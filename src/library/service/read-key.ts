import { RowcastError } from '../../base/errors.ts';
import { reasonOf } from '../../base/system-error.ts';
import type { Key } from '../../client/credentials.ts';
import type { Environment, KeySource } from './choose-service.ts';
import { KeyFile, keyIn } from './key-file.ts';
import { DEFAULT_KEY } from './own-variable.ts';

/** A key that is somewhere as text. */
export type StoredKey = Exclude<KeySource, { kind: 'cloud' }>;

/** Reads a key. One in a file may be replaced later. @throws RowcastError `no_key` */
export async function readServiceKey(source: StoredKey, env: Environment): Promise<string | Key> {
  const key =
    source.kind === 'environment'
      ? keyIn(env[source.name] ?? '')
      : await KeyFile.open(source.path).catch(cause => {
          throw new RowcastError('no_key', `cannot read the API key: ${reasonOf(cause)}`, {
            location: { file: source.path },
            cause,
          });
        });
  if (key !== undefined) return key;
  const where = source.kind === 'environment' ? `the variable ${source.name}` : source.path;
  throw new RowcastError('no_key', `no API key in ${where}`, {
    hint:
      source.kind === 'file'
        ? 'Put the key in this file, on one line.'
        : `Set ${source.name}${source.name === DEFAULT_KEY ? ', or name a file with --api-key-file' : ''}.`,
  });
}
