import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import JSZip from 'jszip';
import { zipEntry } from '../../../src/models/model/zip-entry.ts';

const text = 'a text '.repeat(1000);

function zipWith(
  compression: 'STORE' | 'DEFLATE',
  options: { comment?: string; streamFiles?: boolean } = {},
) {
  const zip = new JSZip().file('other.bin', new Uint8Array(300)).file('größe.json', text).file('last', '');
  return zip.generateAsync({ type: 'nodebuffer', compression, ...options });
}

describe('a file in a zip', () => {
  for (const compression of ['STORE', 'DEFLATE'] as const)
    it(`is read if it was written with ${compression}, with or without its size before it`, async () => {
      for (const streamFiles of [false, true]) {
        const zip = await zipWith(compression, { comment: 'a comment', streamFiles });
        assert.equal(zipEntry(zip, 'größe.json')?.toString(), text);
        assert.equal(zipEntry(zip, 'last')?.length, 0);
        assert.equal(zipEntry(zip, 'missing'), undefined);
      }
    });

  it('is an error in anything that is no zip, or part of one', async () => {
    assert.throws(() => zipEntry(Buffer.alloc(0), 'a'), /^Error: it is not a zip file$/);
    assert.throws(() => zipEntry(Buffer.alloc(100, 'PK'), 'a'), /^Error: it is not a zip file$/);
    const zip = await zipWith('DEFLATE');
    for (let cut = 1; cut < zip.length; cut += 7)
      assert.throws(
        () => zipEntry(zip.subarray(cut), 'größe.json'),
        /damaged|cut off|not a zip/,
        String(cut),
      );
  });

  it('is an error, or the same, or none whichever byte is damaged', async () => {
    const zip = await zipWith('DEFLATE');
    for (let at = 0; at < zip.length; at++) {
      const damaged = Buffer.from(zip);
      damaged[at] = 255 - (damaged[at] as number);
      try {
        zipEntry(damaged, 'größe.json');
      } catch (error) {
        assert.ok(error instanceof Error);
      }
    }
  });

  it('is an error if it is a hundred times as large as in the zip, or larger than was announced', async () => {
    const large = await new JSZip()
      .file('a', Buffer.alloc(17 << 20))
      .generateAsync({ type: 'nodebuffer', compression: 'DEFLATE' });
    assert.throws(
      () => zipEntry(large, 'a'),
      /^Error: it is compressed to a hundredth or less, from 17825792 bytes$/,
    );
    const claimed = Buffer.from(await zipWith('DEFLATE'));
    const entry = claimed.indexOf('größe.json', claimed.indexOf('PK\x01\x02')) - 46;
    claimed.writeUInt32LE(text.length - 1, entry + 24);
    assert.throws(() => zipEntry(claimed, 'größe.json'), { code: 'ERR_BUFFER_TOO_LARGE' });
  });
});
