import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { WritableFile } from '../local/durable-files.ts';
import type { Extent, PartialFile } from '../local/partial-file.ts';

/** Number of members that are compressed or written while the next one is filled. */
const MEMBERS_AT_ONCE = 2;

const compress = promisify(gzip);

/**
 * A gzip file of several members (RFC 1952 section 2.2), each compressed separately. It can be truncated between members,
 * and its bytes do not depend on whether it was. No member is empty.
 */
export function gzipPartial<Mark>(file: WritableFile, from: Extent<Mark>): PartialFile<Mark> {
  let written = from;
  let committed = from;
  let member: Buffer[] = [];
  let held = 0;
  const inProgress: Promise<void>[] = [];
  let last: Promise<void> = Promise.resolve();

  const enqueue = (step: Promise<void>): void => {
    // The failure is thrown where the promise is awaited; this prevents an unhandled rejection until then.
    step.catch(() => {});
    last = step;
    inProgress.push(step);
  };
  const writeMember = (mark: Mark | undefined): void => {
    const bytes = Buffer.concat(member, held);
    member = [];
    held = 0;
    const compressed = compress(bytes);
    enqueue(
      Promise.all([compressed, last]).then(async ([packed]) => {
        await file.write(packed, written.bytes);
        written = {
          bytes: written.bytes + packed.length,
          uncompressed: written.uncompressed + bytes.length,
          tail: written.tail.append(packed),
          mark,
        };
        if (mark !== undefined) committed = written;
      }),
    );
  };

  return {
    get committed() {
      return committed;
    },
    async append({ bytes, endsMember, mark }) {
      if (bytes.length > 0) member.push(Buffer.from(bytes));
      held += bytes.length;
      if (endsMember && held > 0) writeMember(mark?.());
      else if (held === 0 && mark !== undefined) {
        // Only rejects: the file does not grow, but the input up to this point is done.
        const reached = mark();
        enqueue(
          last.then(() => {
            committed = written = { ...written, mark: reached };
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
