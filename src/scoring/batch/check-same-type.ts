import { isDeepStrictEqual } from 'node:util';
import type { PredictionType } from '../../base/contract/predictions.ts';
import { RowcastError } from '../../base/errors.ts';
import { sanitize } from '../../base/sanitize.ts';

/**
 * Checks that predictions consist of what those of earlier responses did.
 *
 * @throws RowcastError `wrong_answer`
 */
export function checkSameType(received: PredictionType, expected: PredictionType | undefined): void {
  if (expected === undefined || isDeepStrictEqual(received, expected)) return;
  const hasClasses = received.kind === 'distribution' && expected.kind === 'distribution';
  throw new RowcastError(
    'wrong_answer',
    hasClasses
      ? 'the classes in the response differ from those of earlier responses'
      : `the response has ${textOf(received)}, but earlier responses had ${textOf(expected)}`,
    {
      severity: 'stopped',
      needsRestart: true,
      hint: 'The report has changed since the run began. Start over with --restart.',
    },
  );
}

function textOf(predictionType: PredictionType): string {
  switch (predictionType.kind) {
    case 'distribution':
      return 'probabilities';
    case 'label':
      return 'labels';
    case 'numbers':
      return predictionType.names.length === 0
        ? 'a number'
        : `the numbers ${sanitize(predictionType.names.join(', '))}`;
  }
}
