import { type AppendedFile, type Extent, fileStart } from '../partial-file.ts';
import { type Codec, MEMBER_BYTES } from './codec.ts';
import { gzip } from './gzip.ts';
import { none } from './none.ts';
import { zstd } from './zstd.ts';

/** The first that fits is used; `none` fits everything. */
const codecs: readonly Codec[] = [gzip, zstd, none];

/** With this many bytes, `codecOfBytes` can tell. */
export const CODEC_START_BYTES = 4;

/** How a file is compressed, according to its first bytes. */
export const codecOfBytes = (first: Buffer): Codec => codecs.find(({ isStart }) => isStart(first)) ?? none;

/** How a file is to be compressed, according to its name. */
export const codecOfName = (name: string): Codec =>
  codecs.find(({ suffix }) => name.toLowerCase().endsWith(suffix)) ?? none;

/** A file's name without the suffix of a compression: `in.csv` for `in.csv.gz`. */
export const nameOfContent = (name: string): string =>
  name.slice(0, name.length - codecOfName(name).suffix.length);

/** The suffixes of compressed files, for messages. */
export const codecSuffixes = codecs.flatMap(({ suffix }) => (suffix === '' ? [] : [suffix]));

/** What is written in order to a file that nobody resumes, compressed as the name of the file says. */
export function compressedWriter(name: string, file: AppendedFile) {
  const output = codecOfName(name).partialFile<true>(file, fileStart);
  let memberBytes = 0;
  return {
    /** @param bytes may be reused once they were written */
    async write(bytes: Buffer): Promise<void> {
      for (let at = 0; at < bytes.length; ) {
        const part = bytes.subarray(at, at + MEMBER_BYTES - memberBytes);
        at += part.length;
        memberBytes = (memberBytes + part.length) % MEMBER_BYTES;
        await output.append({ bytes: part, endsMember: memberBytes === 0, mark: undefined });
      }
    },
    /** Everything was written and is durable. @returns what the file has now */
    async finish(): Promise<Extent<true>> {
      await output.append({ bytes: Buffer.alloc(0), endsMember: true, mark: () => true });
      await output.flush();
      await output.sync();
      return output.committed;
    },
    close: () => output.close(),
  };
}
