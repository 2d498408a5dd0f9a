import type { GroupEncoder } from '../../base/group-encoder.ts';
import type { AppendedFile, Extent, PartialFile } from '../partial-file.ts';
import { Member } from './member.ts';

/**
 * A file of groups of rows. Each member that is appended is one, and it can be truncated between them; its bytes do not depend
 * on whether it was.
 */
export function groupedPartial<Mark>(
  file: AppendedFile,
  from: Extent<Mark>,
  encoder: GroupEncoder,
): PartialFile<Mark> {
  let committed = from;
  let { bytes, uncompressed, tail } = from;
  const notes = [...(from.notes ?? [])];
  const text = new Member();

  const append = async (part: Uint8Array): Promise<void> => {
    await file.append(part);
    bytes += part.length;
    tail = tail.append(Buffer.from(part.buffer, part.byteOffset, part.length));
  };
  const begin = async (): Promise<void> => {
    if (bytes === 0) await append(encoder.start);
  };

  return {
    get committed() {
      return committed;
    },
    async append({ bytes: more, endsMember, mark, endsFile = false }) {
      text.append(more);
      if ((endsMember || endsFile) && !text.isEmpty) {
        await begin();
        const note = await encoder.group(text.bytes, notes, append);
        if (note !== undefined) notes.push(note);
        uncompressed += text.bytes.length;
        text.clear();
      }
      if (endsFile) {
        await begin();
        for (const part of encoder.end(notes)) await append(part);
      }
      if (text.isEmpty && mark !== undefined) {
        const { length } = notes;
        committed = {
          bytes,
          uncompressed,
          tail,
          mark: mark(),
          stored: file.point?.(),
          // There may be many, and more of them when they are asked for.
          get notes() {
            return notes.slice(0, length);
          },
        };
      }
    },
    async flush() {},
    sync: () => file.sync(),
    close: () => file.close(),
  };
}
