import { seededRandom } from '../../src/training/seeded-random.ts';

/** A file with one byte changed, put in or left out, or its end cut off. */
export interface Mutation {
  bytes: Buffer;
  /** What was done, to find it again. */
  what: string;
}

/** Makes different mutations of a file, the same for the same seed. */
export function* mutationsOf(file: Buffer, seed: number): Generator<Mutation, never> {
  const random = seededRandom(seed);
  const below = (count: number): number => Math.floor(random() * count);
  for (;;) {
    const at = below(file.length);
    const [before, after] = [file.subarray(0, at), file.subarray(at + 1)];
    const byte = file[at] ?? 0;
    const other = (to: number, how: string): Mutation => ({
      bytes: Buffer.concat([before, Buffer.of(to), after]),
      what: `byte ${at}: ${how}, ${byte} → ${to & 255}`,
    });
    switch (below(8)) {
      case 0:
      case 1:
        yield other(byte ^ (1 << below(8)), 'a bit');
        break;
      case 2:
        yield other(byte + (random() < 0.5 ? 1 : 255), 'the next');
        break;
      case 3:
        if (file[below(file.length)] !== byte)
          yield other(file[below(file.length)] ?? 0, 'another of the file');
        break;
      case 4: {
        const to = below(256);
        if (to !== byte) yield other(to, 'any');
        break;
      }
      case 5: {
        const more = file[below(file.length)] ?? 0;
        yield {
          bytes: Buffer.concat([before, Buffer.of(more), file.subarray(at)]),
          what: `byte ${at}: ${more} put in`,
        };
        break;
      }
      case 6:
        yield { bytes: Buffer.concat([before, after]), what: `byte ${at}: ${byte} left out` };
        break;
      default: {
        const size = file.length - 1 - below(Math.min(40, file.length - 1));
        yield { bytes: file.subarray(0, size), what: `cut off at ${size}` };
      }
    }
  }
}
