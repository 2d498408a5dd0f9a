import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { RowcastError } from '../../../src/base/errors.ts';
import { type ZstdEngine, zlibZstd, zstdProgram } from '../../../src/storage/codecs/zstd.ts';
import { slow } from '../../support/slow.ts';

const engines: readonly [string, ZstdEngine | undefined][] = [
  ['Node’s zlib', zlibZstd],
  ['the program', zstdProgram()],
];

/** Text that compresses to several blocks, and so does not fit into one. */
const text = Array.from({ length: 40_000 }, (_, row) => `${row},${(row * 2_654_435_761) % 99_991}\n`).join(
  '',
);

/** A frame that decoders skip (RFC 8878, section 3.1.2). */
const skippable = Buffer.from([0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 7, 8, 9]);

/** What comes out, up to the error if there is one. The data comes in pieces of a size. */
async function read(engine: ZstdEngine, data: Buffer, size = 1 << 16): Promise<string> {
  async function* pieces(): AsyncGenerator<Buffer> {
    for (let at = 0; at < data.length; at += size) yield Buffer.from(data.subarray(at, at + size));
  }
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of engine.decompress(pieces(), 'in.csv.zst')) chunks.push(Buffer.from(chunk));
  } catch (error) {
    assert.ok(error instanceof RowcastError, String(error));
    assert.equal(error.code, 'bad_zstd');
    return `error: ${error.message}`;
  }
  return Buffer.concat(chunks).toString();
}

for (const [name, engine] of engines) {
  const skip = engine === undefined && 'not on this machine';
  describe(`zstd by ${name}`, { skip }, () => {
    if (engine === undefined) return;

    it('gives back what it has compressed, in pieces of any size', async () => {
      const frame = await engine.compress(Buffer.from(text));
      assert.ok(frame.length < text.length / 2);
      for (const size of [1 << 20, 4_099]) assert.equal(await read(engine, frame, size), text);
      assert.equal(await read(engine, engine.compressNow(Buffer.from('one row\n')), 1), 'one row\n');
    });

    it('reads several frames, among them empty and skippable ones', async () => {
      const [a, b, empty] = await Promise.all(
        ['a\n', 'b\n', ''].map(own => engine.compress(Buffer.from(own))),
      );
      assert.ok(a && b && empty);
      assert.equal(await read(engine, Buffer.concat([skippable, a, empty, skippable, b])), 'a\nb\n');
      assert.equal(await read(engine, Buffer.concat([a, b, skippable]), 1), 'a\nb\n');
      assert.equal(await read(engine, empty), '');
    });

    it('has an error for a window above a limit before anything is decompressed', async () => {
      const limited = async (data: Buffer): Promise<string> => {
        async function* pieces(): AsyncGenerator<Buffer> {
          for (const byte of data) yield Buffer.of(byte);
        }
        let bytes = 0;
        try {
          for await (const chunk of engine.decompress(pieces(), 'in.csv.zst', 128 << 20))
            bytes += chunk.length;
        } catch (error) {
          return `${bytes} bytes, then: ${(error as Error).message}`;
        }
        return `${bytes} bytes`;
      };
      const block = Buffer.from([0x01, 0, 0]); // the last one, and empty
      const frame = (...header: number[]): Buffer =>
        Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, ...header]), block]);
      // Section 3.1.1.1.2 of RFC 8878: 2^(10 + 17) bytes, and an eighth more.
      assert.equal(await limited(frame(0x00, 17 << 3)), '0 bytes');
      const refused = (window: string): string =>
        `0 bytes, then: the zstd data has a window of ${window} bytes; the limit here is 134,217,728`;
      assert.equal(await limited(frame(0x00, (17 << 3) | 1)), refused('150,994,944'));
      assert.equal(await limited(frame(0x00, 21 << 3)), refused('2,147,483,648'));
      // One segment, which is remembered as a whole.
      const segment = [0xa0, 0, 0, 0, 0x80];
      assert.equal(await limited(frame(...segment)), refused('2,147,483,648'));
      const first = await engine.compress(Buffer.from('first\n'));
      assert.match(await limited(Buffer.concat([first, frame(0x00, 21 << 3)])), /has a window of/);
    });

    slow('has an error for data that is cut off, wherever that is', async () => {
      const first = await engine.compress(Buffer.from('first\n'));
      const data = Buffer.concat([first, await engine.compress(Buffer.from('second\n'))]);
      for (let length = 1; length < data.length; length++) {
        const found = await read(engine, data.subarray(0, length));
        const at = length < first.length ? 0 : first.length;
        if (length === first.length) assert.equal(found, 'first\n');
        else assert.match(found, new RegExp(`truncated: the frame that begins at byte ${at} has no end`));
      }
    });

    it('has an error for what follows the last frame', async () => {
      const frame = await engine.compress(Buffer.from('a\n'));
      for (const after of ['id,plan\n', '\0\0\0\0', '\x1f\x8b\b\0'])
        assert.equal(
          await read(engine, Buffer.concat([frame, Buffer.from(after, 'latin1')])),
          `error: the zstd data is damaged: what begins at byte ${frame.length} is not a frame`,
        );
      assert.match(await read(engine, Buffer.concat([frame, Buffer.from([0x28, 0xb5, 0x2f])])), /truncated/);
    });

    it('has an error for each byte that changed', async () => {
      const first = await engine.compress(Buffer.from('first\n'));
      const frame = await engine.compress(Buffer.from(text.slice(0, 300)));
      for (let at = 0; at < frame.length; at += 7) {
        const damaged = Buffer.from(frame);
        damaged[at] = (damaged[at] ?? 0) ^ 0x10;
        const found = await read(engine, Buffer.concat([first, damaged]));
        assert.match(found, /^error: the zstd data is (?:damaged|truncated)/, `byte ${at}`);
      }
    });
  });
}

describe('zstd data of the program', { skip: zstdProgram() === undefined && 'zstd is not installed' }, () => {
  const compressed = (...options: string[]): Buffer =>
    spawnSync('zstd', ['-qc', ...options], { input: text.repeat(20), maxBuffer: Infinity }).stdout;

  it('is read with long windows, without a checksum, and with the size of its content', async () => {
    const engine = zlibZstd ?? zstdProgram();
    assert.ok(engine);
    for (const options of [
      ['--long=31'],
      ['--no-check'],
      ['-19', '--content-size'],
      ['--ultra', '-1', '-T2'],
    ])
      assert.equal(await read(engine, compressed(...options)), text.repeat(20), options.join(' '));
  });

  it('has what the program reads from zlib', {
    skip: zlibZstd === undefined && 'Node has no zstd',
  }, async () => {
    const frame = await zlibZstd?.compress(Buffer.from(text));
    const { stdout } = spawnSync('zstd', ['-dqc'], { input: frame, maxBuffer: Infinity });
    assert.equal(stdout.toString(), text);
  });
});
