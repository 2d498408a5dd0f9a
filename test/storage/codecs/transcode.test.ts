import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { checkEncoding, expectUtf16, transcode } from '../../../src/storage/codecs/transcode.ts';
import { runs } from '../../support/random-tests.ts';

async function transcoded(bytes: Buffer, encoding: string, size: number): Promise<string> {
  async function* chunks(): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += size) yield Buffer.from(bytes.subarray(at, at + size));
  }
  const parts: Buffer[] = [];
  for await (const part of transcode(chunks(), encoding, 'in.csv')) {
    assert.ok(part.length > 0);
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

describe('a text in another encoding', () => {
  it('is the same text in UTF-8, however it arrives', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme' }),
        fc.integer({ min: 1, max: 5 }),
        async (text, size) => {
          const little = Buffer.from(text, 'utf16le');
          const big = Buffer.from(text, 'utf16le').swap16();
          assert.equal(await transcoded(little, 'utf-16le', size), text);
          assert.equal(await transcoded(big, 'utf-16be', size), text);
          assert.equal(
            await transcoded(Buffer.from(`\ufeff${text}`, 'utf16le').swap16(), 'UTF-16', size),
            `\ufeff${text}`,
          );
          assert.equal(
            await transcoded(Buffer.from(`\ufeff${text}`, 'utf16le'), 'utf-16', size),
            `\ufeff${text}`,
          );
        },
      ),
      { numRuns: runs(100) },
    );
    assert.equal(await transcoded(Buffer.from([0x80, 0x31, 0xfc]), 'windows-1252', 1), '€1ü');
    assert.equal(await transcoded(Buffer.from([0x93, 0xfa, 0x96, 0x7b]), 'shift_jis', 3), '日本');
    assert.equal(await transcoded(Buffer.alloc(0), 'utf-16', 1), '');
    assert.equal(await transcoded(Buffer.from('a'), 'latin1', 1), 'a');
  });

  it('stops the run where it is not valid: no byte is replaced', async () => {
    for (const [bytes, encoding] of [
      [Buffer.from('61c3', 'hex'), 'utf-8'],
      [Buffer.from('610000d8', 'hex'), 'utf-16le'],
      [Buffer.from('61ff', 'hex'), 'shift_jis'],
    ] as const)
      for (const size of [1, 10])
        await assert.rejects(transcoded(bytes, encoding, size), {
          code: 'bad_encoding',
          severity: 'stopped',
        });
  });

  it('must have an encoding that exists', () => {
    assert.throws(() => checkEncoding('utf-9'), { code: 'bad_option', message: /no encoding "utf-9"/ });
    checkEncoding('ISO-8859-15');
  });
});

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
