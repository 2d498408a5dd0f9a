import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import type { BatchMemory } from '../../../../src/base/kernel/batch-memory.ts';
import { GroupText } from '../../../../src/formats/parquet/text/group-text.ts';
import {
  CellWriter,
  type PageCells,
  recordParts,
  type TextKind,
  type TextPage,
} from '../../../../src/formats/parquet/text/text-page.ts';
import { kernelMemory } from '../../../support/csv/read.ts';
import { runs } from '../../../support/random-tests.ts';

/** Rows of a group: more than a kernel writes at once. */
const ROWS = 1500;

const cellsOf = (texts: readonly string[], kind: TextKind): PageCells => {
  const writer = new CellWriter(texts.length, kind);
  for (const text of texts) writer.addText(Buffer.from(text));
  return writer.cells;
};

/** A long text is not written by the kernel. */
const texts = fc.array(
  fc.oneof(
    { arbitrary: fc.string({ maxLength: 40 }), weight: 200 },
    { arbitrary: fc.constant('x'.repeat(300_000)), weight: 1 },
  ),
  { minLength: 1, maxLength: 20 },
);

/** Runs of the hybrid encoding with so many values of 5 bits, which are less than `limit`. */
function hybrid(rows: number, limit: number, seeds: readonly number[]): Buffer {
  const bytes: number[] = [];
  const header = (value: number): void => {
    let rest = value;
    for (; rest > 127; rest >>= 7) bytes.push((rest & 127) | 128);
    bytes.push(rest);
  };
  for (let done = 0, run = 0; done < rows; run++) {
    const seed = seeds[run % seeds.length] ?? 0;
    const isRepeated = seed % 2 === 0;
    const groups = 1 + (seed % 40);
    if (isRepeated) {
      header(2 * 8 * groups);
      bytes.push(seed % limit);
    } else {
      header(2 * groups + 1);
      let bits = 0n;
      for (let i = 0; i < 8 * groups; i++) bits |= BigInt((seed + i * i) % limit) << BigInt(5 * i);
      for (let i = 0; i < 5 * groups; i++) bytes.push(Number((bits >> BigInt(8 * i)) & 255n));
    }
    done += 8 * groups;
  }
  return Buffer.from(bytes);
}

const number = fc.oneof(
  fc.double(),
  fc.integer({ min: -2_000_000_000, max: 2_000_000_000 }).map(hundredths => hundredths / 100),
  fc.constantFrom(0, -0, 0.1, 100, 1e7, 9_999_999.99, 1e-3, 2.675),
);

const seeds = fc.array(fc.nat(10_000), { minLength: 1, maxLength: 8 });

/** A page of rows, without them. */
const pageMaker = (kind: TextKind): fc.Arbitrary<(rows: number) => TextPage> =>
  fc.oneof(
    fc.tuple(texts, seeds).map(([texts, seeds]): ((rows: number) => TextPage) => rows => ({
      is: 'coded',
      rows,
      bytes: hybrid(rows, texts.length, seeds),
      bits: 5,
      dictionary: cellsOf(texts, kind),
    })),
    fc.string({ maxLength: 20 }).map((text): ((rows: number) => TextPage) => rows => ({
      is: 'coded',
      rows,
      bytes: Buffer.alloc(0),
      bits: 0,
      dictionary: cellsOf([text], kind),
    })),
    fc
      .array(number, { minLength: 1, maxLength: 50 })
      .map((numbers): ((rows: number) => TextPage) => rows => ({
        is: 'doubles',
        rows,
        bytes: Buffer.from(
          Float64Array.from({ length: rows }, (_, row) => numbers[row % numbers.length] ?? 0).buffer,
        ),
      })),
    fc.tuple(texts, seeds).map(([texts, seeds]): ((rows: number) => TextPage) => rows => ({
      is: 'cells',
      rows,
      codes: Int32Array.from({ length: rows }, (_, row) => {
        const code = ((seeds[row % seeds.length] ?? 0) + row) % (texts.length + 1);
        return code - 1;
      }),
      ...cellsOf(texts, kind),
    })),
    fc
      .tuple(fc.array(fc.string(), { minLength: 1, maxLength: 9 }), seeds)
      .map(([texts, seeds]): ((rows: number) => TextPage) => rows => {
        const writer = new CellWriter(rows, kind);
        for (let row = 0; row < rows; row++)
          if ((seeds[row % seeds.length] ?? 0) % 3 === 0) writer.addMissing();
          else writer.addText(Buffer.from(texts[row % texts.length] ?? ''));
        return { is: 'cells', rows, codes: undefined, ...writer.cells };
      }),
  );

/** The pages of a column: the first one has so many rows, and each further one what is left, up to a limit. */
const columnOf = (kind: TextKind): fc.Arbitrary<TextPage[]> =>
  fc
    .array(fc.tuple(pageMaker(kind), fc.integer({ min: 1, max: ROWS })), { minLength: 1, maxLength: 3 })
    .map(made => {
      const pages: TextPage[] = [];
      let left = ROWS;
      for (const [index, [make, most]] of made.entries()) {
        const rows = index === made.length - 1 ? left : Math.min(most, left);
        if (rows > 0) pages.push(make(rows));
        left -= rows;
      }
      return pages;
    });

function textOf(columns: readonly TextPage[][], kind: TextKind, memory: BatchMemory | undefined): Buffer {
  const names = columns.map((_, index) => `c"${index}`);
  const text = new GroupText(recordParts(kind, names), memory);
  text.begin();
  const accepted = columns.map(pages => pages.map(page => text.accept(page)));
  return Buffer.concat(Array.from(text.write(ROWS, accepted), chunk => Buffer.from(chunk)));
}

it('a kernel writes the rows of pages as TypeScript does', () => {
  fc.assert(
    fc.property(
      fc
        .constantFrom<TextKind>('csv', 'jsonl')
        .chain(kind => fc.tuple(fc.constant(kind), fc.array(columnOf(kind), { minLength: 1, maxLength: 4 }))),
      ([kind, columns]) => {
        const inTypeScript = textOf(columns, kind, undefined);
        const inKernel = textOf(columns, kind, kernelMemory);
        assert.ok(inKernel.equals(inTypeScript));
      },
    ),
    { numRuns: runs(150, 20) },
  );
});

it('a code that is not in the dictionary is refused, wherever it is', () => {
  const dictionary = cellsOf(['a', 'b', 'c'], 'csv');
  for (const memory of [undefined, kernelMemory]) {
    const text = new GroupText(recordParts('csv', ['a']), memory);
    text.begin();
    for (const bytes of [
      [16, 3],
      [2, 0, 0x18, 3, 0, 0, 0, 0],
      [14, 1],
      [3, 0xff],
    ])
      assert.throws(
        () => text.accept({ is: 'coded', rows: 8, bytes: Buffer.from(bytes), bits: 5, dictionary }),
        RangeError,
      );
  }
});
