import type { AppendedFile, Extent, PartialFile } from '../partial-file.ts';

/** Number of members that are compressed or written while the next one is filled. */
const MEMBERS_AT_ONCE = 2;

/**
 * A compressed file of several members, each compressed separately: members of gzip, or frames of zstd. It can be
 * truncated between members, and continued within one with the text of that one; its bytes do not depend on whether it
 * was. No member is empty.
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

/**
 * The bytes of a member before they are compressed or encoded, in memory that is used for several members, one after
 * the other.
 */
class Member<Mark> {
  #memory = Buffer.alloc(0);
  #length = 0;
  /** The last mark within it, and the number of bytes before that. */
  #mark: Mark | undefined;
  #marked = 0;
  /** Whether a point has some of the memory, which must not change then. */
  #isLent = false;

  get bytes(): Buffer {
    return this.#memory.subarray(0, this.#length);
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** @param mark describes the point after the bytes, if the file can be continued there, and the member goes on */
  append(bytes: Uint8Array, mark?: Mark): void {
    const length = this.#length + bytes.length;
    if (length > this.#memory.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#memory.length));
      larger.set(this.bytes);
      this.#memory = larger;
    }
    this.#memory.set(bytes, this.#length);
    this.#length = length;
    if (mark === undefined) return;
    this.#mark = mark;
    this.#marked = length;
  }

  clear(): void {
    if (this.#isLent) this.#memory = Buffer.alloc(0);
    this.#isLent = false;
    this.#length = this.#marked = 0;
    this.#mark = undefined;
  }

  /**
   * The last marked point within the member.
   *
   * @param start the point at which it begins; returned if it has no mark
   * @param maxBytes of it before that mark; if there are more, `start` is returned
   */
  latest(start: Extent<Mark>, maxBytes: number): Extent<Mark> {
    if (this.#marked === 0 || this.#marked > maxBytes) return start;
    this.#isLent = true;
    const open = this.#memory.subarray(0, this.#marked);
    return { ...start, uncompressed: start.uncompressed + open.length, mark: this.#mark, open };
  }
}

/** Splits a point into the one at which its open member begins, and that member. */
export function reopen<Mark>({ open, ...from }: Extent<Mark>): { start: Extent<Mark>; member: Member<Mark> } {
  const member = new Member<Mark>();
  if (open === undefined) return { start: from, member };
  member.append(open);
  return { start: { ...from, uncompressed: from.uncompressed - open.length }, member };
}
