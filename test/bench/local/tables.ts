import { join } from 'node:path';
import { type Random, seededRandom } from '../../../src/training/seeded-random.ts';
import { root } from '../../support/root.ts';
import { writeUsual } from '../input.ts';
import { writeShape } from '../shapes.ts';

/** A history to train on, and personas to score with its report; always the same ones. */
export interface Table {
  predict: string;
  /** Returns the file. */
  history(folder: string): Promise<string>;
  writePersonas(rows: number, path: string): Promise<void>;
}

export const tables: ReadonlyMap<string, Table> = new Map([
  [
    'telecom',
    {
      predict: 'Churn',
      history: async () => join(root, 'test/data/telco-customer-churn.csv'),
      writePersonas: writeUsual,
    },
  ],
  ['columns', generated('columns', { numbers: 60, categories: 40, labelOf: ofTwo })],
  ['classes', generated('classes', { numbers: 12, categories: 8, labelOf: ofTen })],
]);

const HISTORY_ROWS = 5000;
const MISSING = 0.03;
/** Some columns have more levels than fit into 32 bits. */
const LEVELS = [3, 8, 20, 60];

interface Plan {
  numbers: number;
  categories: number;
  labelOf: (signals: readonly number[], noise: number) => string;
}

/** A value, and what labels depend on: a number from 0 to 1. */
interface Cell {
  text: string;
  signal: number;
}

function generated(name: string, { numbers, categories, labelOf }: Plan): Table {
  const header = [
    ...Array.from({ length: numbers }, (_, i) => `number_${i}`),
    ...Array.from({ length: categories }, (_, i) => `category_${i}`),
  ];
  const cells = (random: Random): Cell[] =>
    header.map((_, i) => {
      const cell = i < numbers ? numberOf(i, random) : levelOf(i - numbers, random);
      // Every third column has missing values.
      return i % 3 === 0 && random() < MISSING ? { text: '', signal: 0.5 } : cell;
    });
  return {
    predict: 'label',
    async history(folder) {
      const path = join(folder, `${name}-history.csv`);
      const random = seededRandom(1);
      const row = (): string[] => {
        const drawn = cells(random);
        const label = labelOf(
          drawn.map(({ signal }) => signal),
          random() - 0.5,
        );
        return [...drawn.map(({ text }) => text), label];
      };
      await writeShape({ name, header: [...header, 'label'], row }, HISTORY_ROWS, path);
      return path;
    },
    async writePersonas(rows, path) {
      const random = seededRandom(2);
      await writeShape({ name, header, row: () => cells(random).map(({ text }) => text) }, rows, path);
    },
  };
}

function numberOf(i: number, random: Random): Cell {
  const signal = random();
  const texts = [
    Math.floor(1000 * signal).toString(),
    (100 * (i + 1) * signal).toFixed(2),
    (2 * signal - 1).toFixed(4),
  ];
  return { text: texts[i % texts.length] ?? '', signal };
}

function levelOf(i: number, random: Random): Cell {
  const levels = LEVELS[i % LEVELS.length] ?? 1;
  const level = Math.floor(levels * random());
  // Neighbouring levels have different signals, so that trees need sets of levels.
  return { text: `level ${level}`, signal: ((7 * level) % levels) / levels };
}

/** Products, which a linear model cannot learn. */
function ofTwo(signals: readonly number[], noise: number): string {
  const at = (i: number) => (signals[i] ?? 0) - 0.5;
  const score = 6 * at(0) * at(1) + 4 * at(2) * at(60) + 3 * at(61) * at(3) + at(4) + at(62) + at(63);
  return score + noise > 0 ? 'yes' : 'no';
}

function ofTen(signals: readonly number[], noise: number): string {
  const at = (i: number) => signals[i] ?? 0;
  const five = Math.floor(5 * Math.min(0.999, Math.abs(2 * at(0) - 1) * (1 - at(12) / 4) + noise / 10));
  const two = (at(1) - 0.5) * (at(13) - 0.5) + (at(2) - 0.5) / 8 + noise / 10 > 0 ? 1 : 0;
  return `class ${2 * Math.max(0, five) + two}`;
}
