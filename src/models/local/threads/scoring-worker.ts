import { BatchMemory } from '../../../base/kernel/batch-memory.ts';
import type { Scored } from '../../../scoring/scorer.ts';
import { engineOf } from '../../model/engine.ts';
import { openThreadInput, scoreBatch } from '../open-input.ts';
import type { RecordScorer } from '../record-scorer.ts';
import type { ThreadRequest } from './thread-messages.ts';
import { answerRequests } from './worker-thread.ts';

const inputs = new Map<number, Promise<RecordScorer>>();

answerRequests<ThreadRequest, Scored>(request => {
  const { kind, input } = request;
  if (kind === 'score') return scoreBatch(inputs.get(input), request);
  if (kind === 'close') closeInput(input);
  else {
    const opened = open(request);
    opened.catch(() => {}); // the input's batches report it
    inputs.set(input, opened);
  }
  return undefined;
});

async function open({ data, shared }: Extract<ThreadRequest, { kind: 'open' }>): Promise<RecordScorer> {
  const { model, prepared } = shared;
  const memory = BatchMemory.create();
  return openThreadInput(data, model, engineOf(model.predictor, { memory, prepared }), memory);
}

function closeInput(input: number): void {
  inputs
    .get(input)
    ?.then(scorer => scorer.close())
    .catch(() => {}); // its batches have reported it
  inputs.delete(input);
}
