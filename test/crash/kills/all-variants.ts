import { random } from '../../../fixtures/random.ts';
import { variants } from '../variants.ts';
import { killRuns, type Tally } from './kills.ts';

export interface AllOptions {
  /** In total, over all variants. */
  kills: number;
  /** The same seed gives the same moments; where they hit depends on the machine. */
  seed: number;
  /** Whether to stop. */
  isOver?: () => boolean;
}

/** Concurrent variants: a run waits for the disk most of the time. */
const LANES = 2;

/** Kills runs of every variant, the same number of each. */
export async function killAll({ kills, seed, isOver }: AllOptions): Promise<Tally[]> {
  const waiting = variants.map((make, index) => ({ make, index }));
  const tallies: Tally[] = [];
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { make, index } = next;
      const share =
        Math.floor((kills * (index + 1)) / variants.length) - Math.floor((kills * index) / variants.length);
      const tally = await killRuns(make(), {
        kills: share,
        random: random(seed + index),
        ...(isOver && { isOver }),
      });
      tallies.push(tally);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return tallies;
}
