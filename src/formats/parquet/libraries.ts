/** The libraries of Parquet. Only this file imports them; it is loaded when a Parquet file is read or written. */
export {
  type Compressors,
  type FileMetaData,
  parquetMetadata,
  parquetRead,
  type SubColumnData,
} from 'hyparquet';
export { compressors } from 'hyparquet-compressors';
export { ByteWriter, ParquetWriter } from 'hyparquet-writer';
