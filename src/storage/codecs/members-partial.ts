import type { AppendedFile, Extent, PartialFile } from '../partial-file.ts';
import { Member, reopen } from './member.ts';

/** Number of members that are compressed or written while the next one is filled. */
const MEMBERS_AT_ONCE = 2;

/**
 * A compressed file of several members, each compressed separately: members of gzip, or frames of zstd. It can be truncated
 * between members, and continued within one with the text of that one; its bytes do not depend on whether it was. No member
 * is empty.
 *
 * @param compress makes a member
 */
export function membersPartial<Mark>(
  file: AppendedFile,
  from: Extent<Mark>,
  compress: (bytes: Buffer) => Promise<Buffer>,
): PartialFile<Mark> {
  const { start, member: first } = reopen(from);
  let written = start;
  let committed = start;
  let member = first;
  /** Members of which the memory can be used again. */
  const free: Member<Mark>[] = [];
  /** The number of ends of members and of marks between them so far, and which of them `committed` is. */
  let ends = 0;
  let committedEnd = 0;
  const inProgress: Promise<void>[] = [];
  let last: Promise<void> = Promise.resolve();

  const enqueue = (step: Promise<void>): void => {
    // The failure is thrown where the promise is awaited; this prevents an unhandled rejection until then.
    step.catch(() => {});
    last = step;
    inProgress.push(step);
  };
  const commit = (end: number): void => {
    committed = written;
    committedEnd = end;
  };
  const writeMember = (mark: Mark | undefined): void => {
    const end = ++ends;
    const own = member;
    const uncompressed = own.bytes.length;
    member = free.pop() ?? new Member();
    const compressed = compress(own.bytes).finally(() => {
      own.clear();
      free.push(own);
    });
    compressed.catch(() => {}); // thrown by the step
    enqueue(
      last.then(async () => {
        const packed = await compressed;
        await file.append(packed);
        written = {
          bytes: written.bytes + packed.length,
          uncompressed: written.uncompressed + uncompressed,
          tail: written.tail.append(packed),
          mark,
          // Only points with a mark are ever gone back to.
          stored: mark === undefined ? undefined : file.point?.(),
        };
        if (mark !== undefined) commit(end);
      }),
    );
  };

  return {
    get committed() {
      return committed;
    },
    // What is being written may fail, and the member after it cannot be continued without it.
    latest: (maxOpenBytes = Number.POSITIVE_INFINITY) =>
      committedEnd === ends ? member.latest(committed, maxOpenBytes) : committed,
    async append({ bytes, endsMember, mark }) {
      const reached = mark?.();
      member.append(bytes, endsMember ? undefined : reached);
      if (endsMember && !member.isEmpty) writeMember(reached);
      else if (member.isEmpty && reached !== undefined) {
        // All rows were rejected: the file does not grow, but the input up to this point is done.
        const end = ++ends;
        enqueue(
          last.then(() => {
            written = { ...written, mark: reached, stored: file.point?.() };
            commit(end);
          }),
        );
      }
      while (inProgress.length > MEMBERS_AT_ONCE) await inProgress.shift();
    },
    async flush() {
      await Promise.all(inProgress.splice(0));
    },
    sync: () => file.sync(),
    async close() {
      await last.catch(() => {}); // thrown where it was awaited
      await file.close();
    },
  };
}
