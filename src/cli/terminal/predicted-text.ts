import type { PredictionType } from '../../base/contract/predictions.ts';
import { sanitize } from '../../base/sanitize.ts';

/** What each prediction consists of, as the heading of a line and its text. */
export function predictedText(predictionType: PredictionType): [heading: string, text: string] {
  switch (predictionType.kind) {
    case 'distribution':
      return ['classes', listOf(predictionType.classes)];
    case 'label':
      return ['predicted', 'a label'];
    case 'numbers':
      return predictionType.names.length === 0
        ? ['predicted', 'a number']
        : ['numbers', listOf(predictionType.names)];
  }
}

const listOf = (names: readonly string[]): string => sanitize(names.join(', '));
