import { random } from '../../../fixtures/random.ts';
import { type Variant, variants } from '../variants.ts';
import { killRuns, type Tally } from './kills.ts';

export interface AllOptions {
  /** In total, over all variants. */
  kills: number;
  /** The same seed gives the same moments; where they hit depends on the machine. */
  seed: number;
  /** All, by default. */
  only?: readonly Variant[];
  /** Whether to stop. */
  isOver?: () => boolean;
}

/** Concurrent variants: a run waits for the disk most of the time. */
const LANES = 2;

/** Kills runs of each variant, the same number of each. */
export async function killAll({ kills, seed, only = variants, isOver }: AllOptions): Promise<Tally[]> {
  const waiting = [...only.entries()];
  const tallies: Tally[] = [];
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, variant] = next;
      const share =
        Math.floor((kills * (index + 1)) / only.length) - Math.floor((kills * index) / only.length);
      const tally = await killRuns(variant, {
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
