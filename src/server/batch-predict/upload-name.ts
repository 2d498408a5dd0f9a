import { parquetTypes, uploadFormats, uploadTypes } from '../../base/contract/upload-formats.ts';
import { formats } from '../../formats/formats.ts';
import { RequestError } from '../problems/problems.ts';

/**
 * A name that tells the format of an upload: that of its own name, else that of its media type. The name `upload` tells nothing,
 * so the first bytes decide.
 *
 * @throws RequestError `unsupported_media_type` for Parquet
 */
export function uploadName(name: string | undefined, type: string | undefined): string {
  const named = name === undefined ? undefined : formats.find(({ isNameOf }) => isNameOf(name))?.name;
  if (named === 'parquet') throw parquetUpload();
  if (named !== undefined) return `upload.${named}`;
  const [media = ''] = (type ?? '').split(';', 1).map(text => text.trim().toLowerCase());
  if (parquetTypes.some(other => other === media)) throw parquetUpload();
  const format = uploadFormats.find(format => uploadTypes[format].some(other => other === media));
  return format === undefined ? 'upload' : `upload.${format}`;
}

export const parquetUpload = (): RequestError =>
  new RequestError(
    'unsupported_media_type',
    'Parquet is read from its end, so it cannot be scored while it arrives. Score the file itself: rowcast score FILE.parquet.',
  );
