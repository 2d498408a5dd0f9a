import { isDeepStrictEqual } from 'node:util';
import type { Outputs } from '../../base/contract/predictions.ts';
import { RowcastError } from '../../base/errors.ts';
import { sanitize } from '../../base/sanitize.ts';

/**
 * Checks that predictions consist of what those of earlier responses did.
 *
 * @throws RowcastError `wrong_answer`
 */
export function checkSame(received: Outputs, expected: Outputs | undefined): void {
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

function textOf(outputs: Outputs): string {
  switch (outputs.kind) {
    case 'distribution':
      return 'probabilities';
    case 'label':
      return 'labels';
    case 'numbers':
      return outputs.names.length === 0 ? 'a number' : `the numbers ${sanitize(outputs.names.join(', '))}`;
  }
}
