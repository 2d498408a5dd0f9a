import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { expectUtf16 } from '../../../src/storage/codecs/transcode.ts';

async function passed(bytes: Buffer, encoding: string, size = 1000): Promise<Buffer> {
  async function* chunks(): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const parts: Buffer[] = [];
  for await (const part of expectUtf16(chunks(), encoding, 'in.csv')) parts.push(part);
  return Buffer.concat(parts);
}

const text = 'größe,city\n1,Köln\n';

describe('an input that is said to be UTF-16', () => {
  it('is refused if it begins as UTF-8, at any length and however it arrives', async () => {
    for (const bytes of [Buffer.from(text), Buffer.from(text.repeat(100)), Buffer.from('x')])
      for (const encoding of ['utf-16', 'UTF-16LE', 'utf-16be'])
        for (const size of [1, 1000])
          await assert.rejects(passed(bytes, encoding, size), {
            code: 'bad_encoding',
            severity: 'refused',
            message: `the input is not ${encoding}: it begins as a text in UTF-8`,
            hint: /^Leave out --encoding/,
          });
  });

  it('is passed on unchanged if it may be UTF-16, and so is one in any other encoding', async () => {
    const little = Buffer.from(text.repeat(100), 'utf16le');
    for (const bytes of [
      little,
      Buffer.from(little).swap16(),
      Buffer.from('上海,上\n', 'utf16le'),
      Buffer.alloc(0),
    ])
      for (const size of [1, 1000]) assert.deepEqual(await passed(bytes, 'utf-16', size), bytes);
    const german = Buffer.from(text, 'latin1');
    assert.deepEqual(await passed(german, 'windows-1252'), german);
  });
});
