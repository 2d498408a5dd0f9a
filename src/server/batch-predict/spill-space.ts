import type { SharedBudget } from '../limits/shared-budget.ts';
import { SHARE } from '../limits/shares.ts';
import { RequestError } from '../problems/problems.ts';
import type { SpillSpace } from './spill-file.ts';

/** The share of the disk space for the response to one upload. */
export function spillSpace(budget: SharedBudget, key: string): SpillSpace {
  const holding = budget.open(key);
  return {
    take(bytes) {
      if (holding.take(bytes)) return;
      const sizes = `${mib(budget.heldBy(key))} of the ${mib(budget.total)} of --max-spill-bytes`;
      throw new RequestError(
        'busy',
        `responses to this key that are buffered on disk take up ${sizes}; ${SHARE}`,
      );
    },
    release: () => holding.release(),
  };
}

const mib = (bytes: number): string => `${Math.round(bytes / 1024 ** 2).toLocaleString('en-US')} MiB`;
