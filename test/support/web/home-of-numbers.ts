import { join } from 'node:path';
import { trainReport } from '../../../src/training/train.ts';
import { newFolder } from '../folder.ts';
import { csv } from '../service/history.ts';
import type { Scope } from '../shared.ts';

/** A data directory with a report of amounts that depend on a number, a category and a date. */
export async function homeOfNumbers(t: Scope): Promise<string> {
  const rows = Array.from({ length: 120 }, (_, i) => {
    const plan = ['basic', 'plus', '<b>'][i % 3] ?? '';
    const day = `2026-0${1 + (i % 9)}-1${i % 10}`;
    const visits = (i * 37) % 60;
    const spent = 20 + visits * 3 + 15 * (i % 3) + (((i * 7919) % 101) - 50) / 10;
    return [String(visits), plan, day, spent.toFixed(2)];
  });
  const home = await newFolder(t, { 'sales.csv': csv([['visits', 'plan', 'since', 'spent "€"'], ...rows]) });
  await trainReport({ historyFile: join(home, 'sales.csv'), predict: 'spent "€"', home, id: 'spent' });
  return home;
}
