import assert from 'node:assert/strict';
import fc from 'fast-check';
import '../support/random-tests.ts';
import { describe, it } from 'node:test';
import type { GroupEncoder } from '../../src/base/text-of-file.ts';
import type { Codec } from '../../src/storage/codecs/codec.ts';
import { groupedPartial } from '../../src/storage/codecs/grouped-partial.ts';
import { gzip } from '../../src/storage/codecs/gzip.ts';
import { none } from '../../src/storage/codecs/none.ts';
import { readTail } from '../../src/storage/digests.ts';
import { type AppendedBytes, type Extent, fileStart } from '../../src/storage/partial-file.ts';
import { MemoryFiles } from '../support/memory-files.ts';

/**
 * Parts of an output, the mark of each being its number; some have no mark, some end a member, and some have no bytes.
 */
const parts = fc.array(
  fc.record({ bytes: fc.uint8Array({ maxLength: 40 }), isMarked: fc.boolean(), endsMember: fc.boolean() }),
  { minLength: 1, maxLength: 8 },
);
type Part = typeof parts extends fc.Arbitrary<(infer One)[]> ? One : never;

const appended = (
  { bytes, isMarked, endsMember, ...part }: Part & { endsFile?: boolean },
  index: number,
): AppendedBytes<number> => ({
  ...part,
  bytes: Buffer.from(bytes),
  endsMember,
  mark: isMarked ? () => index : undefined,
});

const path = '/out.partial';

/** Groups in brackets, of which the end says how many bytes each has. */
const encoder: GroupEncoder = {
  start: Buffer.from('<'),
  async group(text, _, append) {
    await append(Buffer.concat([Buffer.from('['), text, Buffer.from(']')]));
    return String(text.length);
  },
  end: notes => [Buffer.from(`${notes}>`)],
};
const groups: Pick<Codec, 'name' | 'partialFile'> = {
  name: 'groups',
  partialFile: (file, from) => groupedPartial(file, from, encoder),
};

/** Appends the parts from a mark on, and returns the last point. */
async function write(
  { codec, files }: { codec: Pick<Codec, 'partialFile'>; files: MemoryFiles },
  all: readonly Part[],
  from: Extent<number> = fileStart,
): Promise<Extent<number>> {
  const file = await files.open(path);
  await file.truncate(from.bytes);
  const partial = codec.partialFile(file, from);
  for (const [index, one] of all.entries())
    if (index > (from.mark ?? -1)) await partial.append(appended(one, index));
  await partial.flush();
  await partial.close();
  return partial.latest();
}

describe('a partial file', { concurrency: true }, () => {
  for (const codec of [none, gzip, groups])
    it(`can be truncated at any mark and continued, with the same bytes: ${codec.name}`, async () => {
      await fc.assert(
        fc.asyncProperty(parts, fc.nat(), async (all, cut) => {
          const whole = { codec, files: new MemoryFiles() };
          const resumed = { codec, files: new MemoryFiles() };
          // The last part has a mark, because only what is marked is kept.
          const end = { isMarked: true, endsMember: true, endsFile: true };
          const marked = all.map((one, index) => (index === all.length - 1 ? { ...one, ...end } : one));
          const wanted = await write(whole, marked);
          const committed = await write(resumed, marked.slice(0, cut % (marked.length + 1)));
          const again = await write(resumed, marked, committed);

          const bytes = await whole.files.read(path);
          assert.deepEqual(await resumed.files.read(path), bytes);
          for (const extent of [wanted, again]) {
            assert.deepEqual([extent.bytes, extent.mark], [bytes?.length, marked.length - 1]);
            assert.equal(extent.uncompressed, Buffer.concat(marked.map(({ bytes: own }) => own)).length);
            // The digest is that of what was written.
            const tail = await readTail(whole.files, path, extent.bytes);
            assert.equal(extent.tail.digest(), tail?.digest());
          }
        }),
      );
    });

  it('starts without bytes and without a mark', () => {
    const { bytes, uncompressed, mark } = fileStart;
    assert.deepEqual([bytes, uncompressed, mark], [0, 0, undefined]);
  });
});
