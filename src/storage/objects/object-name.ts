import { RowcastError } from '../../base/errors.ts';

/** The parts of the name of an object. A key is literal: nothing in it is decoded. */
export interface ObjectName {
  /** Everything before the key: `s3://bucket/`. */
  start: string;
  /** A bucket or container. */
  bucket: string;
  key: string;
}

/**
 * Takes a name such as `s3://bucket/key` apart. Buckets have no user and no port; keys may contain anything, also `?` and `#`.
 *
 * @throws RowcastError `usage`
 */
export function parseObjectName(name: string): ObjectName {
  const found = parseObjectPrefix(name);
  if (found.key !== '') return found;
  throw notAnObject(name, 'Give a bucket and a key, such as s3://bucket/folder/file.csv.');
}

/** The same for the beginning of names, which may have no key. @throws RowcastError `usage` */
export function parseObjectPrefix(prefix: string): ObjectName {
  const [, start = '', bucket = '', key = ''] =
    /^([a-z][a-z0-9+.-]*:\/\/([^/]*)\/?)(.*)$/is.exec(prefix) ?? [];
  if (bucket !== '' && !/[\s@:?#]/.test(bucket)) return { start, bucket, key };
  throw notAnObject(prefix, 'Give a bucket without user or port.');
}

export const notAnObject = (name: string, hint: string): RowcastError =>
  new RowcastError('usage', `${name}: not the URL of an object`, { hint });
