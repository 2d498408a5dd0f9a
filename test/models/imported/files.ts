import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../support/root.ts';
import type { Cell } from './evaluate.ts';

const folder = join(root, 'fixtures/models');

/** Rows with the raw scores that a library gave for them; see the scripts in Python beside this file. */
export interface Expected {
  file: string;
  columns: string[];
  /** By column, the categories in the order of their codes, where the model's file does not have them. */
  levels?: Record<string, string[]>;
  best?: number;
  rows: Cell[][];
  raw: number[][];
}

/** Models that a library wrote, by the beginning of their names. */
export function savedModels(start: string): (Expected & { bytes: Buffer })[] {
  return readdirSync(folder)
    .filter(name => name.startsWith(start) && name.endsWith('.expected.json'))
    .sort()
    .map(name => {
      const expected = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Expected;
      return { ...expected, bytes: readFileSync(join(folder, expected.file)) };
    });
}

export const savedModel = (file: string): Buffer => readFileSync(join(folder, file));
