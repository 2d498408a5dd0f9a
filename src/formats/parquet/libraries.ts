/** The libraries of Parquet. Only this file imports them; it is loaded when a Parquet file is read or written. */
export {
  type Compressors,
  type FileMetaData,
  parquetRead,
  type SubColumnData,
  snappyUncompress,
} from 'hyparquet';
export { decompressLz4, decompressLz4Raw, decompressZstd } from 'hyparquet-compressors';
export { snappyCompress } from 'hyparquet-writer/src/snappy.js';
