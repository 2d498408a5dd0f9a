/** The libraries of Parquet. Only this file imports them; it is loaded when a Parquet file is read or written. */
export type { Compressors } from 'hyparquet';
export { deltaBinaryUnpack, deltaByteArray, deltaLengthByteArray } from 'hyparquet/src/delta.js';
export { byteStreamSplit } from 'hyparquet/src/encoding.js';
export { snappyUncompress } from 'hyparquet/src/snappy.js';
export { decompressLz4, decompressLz4Raw, decompressZstd } from 'hyparquet-compressors';
export { snappyCompress } from 'hyparquet-writer/src/snappy.js';
