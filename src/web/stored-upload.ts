import { DecodedSource } from '../storage/decoded-source.ts';
import { openInput } from '../storage/local/local-input.ts';
import type { Source } from '../storage/source.ts';

/** The most bytes of a row group of Parquet, uncompressed: some are read at once, and each takes several times as much memory. */
export const MAX_GROUP_BYTES = 256 << 20;

/**
 * The memory that an upload is counted with if its columns are described, or if it is Parquet: the heap of a thread or a row group,
 * and the window of its decompressor.
 */
export const THREAD_BYTES = 512 << 20;

/** The most bytes that describe the columns and groups of Parquet: they are read on the main thread, in less than a second. */
export const MAX_FOOTER_BYTES = 1 << 20;

/**
 * An upload that was stored whole, of which any bytes can be read.
 *
 * @param name of the file as uploaded, for messages: no path of the service's machine is shown
 */
export const storedUpload = async (path: string, name: string): Promise<Source> =>
  new DecodedSource({ ...(await openInput(path)), name }, false);
