import { unlessWrong } from '../../../src/library/definition/definition.ts';
import { inspectDefinition } from '../../../src/library/definition/inspect-definition.ts';

/** A definition that is text. */
export const readDefinition = (...given: Parameters<typeof inspectDefinition>) =>
  unlessWrong(inspectDefinition(...given));
