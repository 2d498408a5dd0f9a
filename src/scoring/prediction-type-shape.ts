import * as z from 'zod';

const texts = z.array(z.string()).readonly();

/** `PredictionType`, as checkpoints and plans store them. */
export const predictionTypeShape = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('distribution'), classes: texts }),
  z.strictObject({ kind: z.literal('label') }),
  z.strictObject({ kind: z.literal('numbers'), names: texts }),
]);
