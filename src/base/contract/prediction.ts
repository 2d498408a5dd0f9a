import type { Probabilities } from './schemas.ts';

/** What is predicted for one persona: probabilities from 0 to 1 by class, a label, a number, or several numbers by name. */
export type Predicted =
  | { probabilities: Probabilities }
  | { label: string }
  | { value: number }
  | { values: Record<string, number> };

/** What is predicted for one of several personas, or why there is no prediction. */
export type Prediction = Predicted | { error: { code: string; message: string } };
