import { type AppendedFile, type Extent, fileStart } from '../partial-file.ts';
import { MEMBER_BYTES } from './codec.ts';
import { codecOfName } from './codecs.ts';

/** What is written in order to a file that nobody resumes, compressed as the name of the file says. */
export interface CompressedWriter {
  /** @param bytes may be reused once they were written */
  write(bytes: Buffer): Promise<void>;
  /** Everything was written and is durable. @returns what the file has now */
  finish(): Promise<Extent<true>>;
  close(): Promise<void>;
}

export function compressedWriter(name: string, file: AppendedFile): CompressedWriter {
  const output = codecOfName(name).partialFile<true>(file, fileStart);
  let memberBytes = 0;
  return {
    async write(bytes) {
      for (let at = 0; at < bytes.length; ) {
        const part = bytes.subarray(at, at + MEMBER_BYTES - memberBytes);
        at += part.length;
        memberBytes = (memberBytes + part.length) % MEMBER_BYTES;
        await output.append({ bytes: part, endsMember: memberBytes === 0, mark: undefined });
      }
    },
    async finish() {
      await output.append({ bytes: Buffer.alloc(0), endsMember: true, mark: () => true });
      await output.flush();
      await output.sync();
      return output.committed;
    },
    close: () => output.close(),
  };
}
