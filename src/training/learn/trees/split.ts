import type { Split } from './tree.ts';

export interface TreeSettings {
  /** Leaves of a tree at most. */
  leaves: number;
  /** Rows of a leaf at least. */
  leafRows: number;
  /** L2 penalty on the values of leaves. */
  l2: number;
}

/** Of some rows. */
export interface Sums {
  gradient: number;
  hessian: number;
  count: number;
}

export interface FoundSplit {
  split: Split;
  /** By how much it lowers the loss (second order; Chen and Guestrin 2016, equation 7, twice). */
  gain: number;
  left: Sums;
  right: Sums;
}

/** Keeps a division by a hessian of 0 finite. */
export const TINY = 1e-12;
