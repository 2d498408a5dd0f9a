import type { Split } from './tree.ts';

export interface TreeSettings {
  /** The most leaves of a tree. */
  leaves: number;
  /** The fewest rows of a leaf. */
  leafRows: number;
  /** L2 penalty on leaf values. */
  l2: number;
}

/** Sums over some rows. */
export interface Sums {
  gradient: number;
  hessian: number;
  count: number;
}

export interface FoundSplit {
  split: Split;
  /** The reduction of the loss (second order; twice equation 7 of Chen and Guestrin 2016). */
  gain: number;
  left: Sums;
  right: Sums;
}

/** Avoids division by zero hessians. */
export const TINY = 1e-12;
