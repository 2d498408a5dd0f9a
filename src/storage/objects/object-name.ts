import { RowcastError } from '../../base/errors.ts';

/** The parts of the name of an object. A key is literal: nothing in it is decoded. */
export interface ObjectName {
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
  const [, bucket = '', key = ''] = /^[a-z][a-z0-9+.-]*:\/\/([^/]*)\/?(.*)$/is.exec(name) ?? [];
  if (bucket !== '' && !/[\s@:?#]/.test(bucket) && key !== '') return { bucket, key };
  throw new RowcastError('usage', `${name}: not the URL of an object`, {
    hint:
      key === ''
        ? 'Give a bucket and a key, such as s3://bucket/folder/file.csv.'
        : 'Give a bucket without user or port.',
  });
}
