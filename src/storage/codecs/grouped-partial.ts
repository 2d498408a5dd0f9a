import type { GroupEncoder } from '../../base/text-of-file.ts';
import type { AppendedFile, Extent, PartialFile } from '../partial-file.ts';
import { reopen } from './members-partial.ts';

/**
 * A file of groups of rows. Each member that is appended is one. It can be truncated between them, and continued within
 * one with the text of that one; its bytes do not depend on whether it was.
 */
export function groupedPartial<Mark>(
  file: AppendedFile,
  from: Extent<Mark>,
  encoder: GroupEncoder,
): PartialFile<Mark> {
  const { start, member: text } = reopen(from);
  let committed = start;
  let { bytes, uncompressed, tail } = start;
  const notes = [...(from.notes ?? [])];
  /** Whether the open group follows what is committed. */
  let isNext = true;

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
    latest: (maxOpenBytes = Number.POSITIVE_INFINITY) =>
      isNext ? text.latest(committed, maxOpenBytes) : committed,
    async append({ bytes: more, endsMember, mark, endsFile = false }) {
      const reached = mark?.();
      const isWhole = endsMember || endsFile;
      text.append(more, isWhole ? undefined : reached);
      if (isWhole && !text.isEmpty) {
        await begin();
        const note = await encoder.group(text.bytes, notes, append);
        if (note !== undefined) notes.push(note);
        uncompressed += text.bytes.length;
        text.clear();
        isNext = false;
      }
      if (endsFile) {
        await begin();
        for (const part of encoder.end(notes)) await append(part);
      }
      if (text.isEmpty && reached !== undefined) {
        const { length } = notes;
        isNext = true;
        committed = {
          bytes,
          uncompressed,
          tail,
          mark: reached,
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
