import { BatchMemory } from '../../base/kernel/batch-memory.ts';
import { openThreadInput, scoreBatch } from '../../models/local/open-input.ts';
import type { RecordScorer } from '../../models/local/record-scorer.ts';
import { free, ownedBy } from '../../models/local/threads/transfer.ts';
import { type Answered, answerRequests } from '../../models/local/threads/worker-thread.ts';
import type { StoredModel } from '../../models/model/compiled-model.ts';
import { engineOf } from '../../models/model/engine.ts';
import { PersonaWork } from '../predict/persona-work.ts';
import { type PersonaPredictor, personaPredictor } from '../predict/predictor.ts';
import { RequestError } from '../problems/problems.ts';
import { lowerPriority } from './lower-priority.ts';
import type { ServiceRequest, ServiceResult } from './service-threads.ts';

/** A model that is ready to predict in this thread. */
type OpenModel = Omit<PersonaPredictor, 'work'> & { stored: StoredModel };

const models = new Map<number, Promise<OpenModel>>();
const inputs = new Map<number, Promise<RecordScorer>>();
/** Requests with personas, and their bodies. */
const jobs = new Map<number, { work: PersonaWork; body: Buffer }>();

lowerPriority();

answerRequests<ServiceRequest, ServiceResult>(request => {
  switch (request.kind) {
    case 'open-model':
      keep(models, request.model, openModel(request.stored));
      return undefined;
    case 'close-model':
      models.get(request.model)?.then(
        ({ engine }) => engine.unload(),
        () => {}, // it was never loaded
      );
      models.delete(request.model);
      return undefined;
    case 'open-input': {
      const { input, model, data } = request;
      keep(
        inputs,
        input,
        modelOf(model).then(({ stored, engine }) =>
          openThreadInput(data, stored, engine, BatchMemory.create()),
        ),
      );
      return undefined;
    }
    case 'score':
      return scored(request.input, request);
    case 'close-input':
      // The engine stays: it is the model's, which may have other inputs.
      inputs.delete(request.input);
      return undefined;
    case 'open-job':
      return orRefused(async () => {
        const body = Buffer.concat(request.parts);
        request.parts.forEach(free);
        const work = new PersonaWork(body, request.member);
        jobs.set(request.job, { work, body });
        return { result: { kind: 'opened', id: work.id } };
      });
    case 'slice':
      return orRefused(() => slice(request));
    case 'more':
      return orRefused(async () => {
        const piece = jobOf(request.job).work.more();
        return { result: { kind: 'piece', piece }, memory: piece === undefined ? [] : ownedBy(piece) };
      });
    case 'close-job':
      closeJob(request.job);
      return undefined;
  }
});

/** Keeps what is being opened, unless that fails; those that use it meanwhile report it. */
function keep<T>(opened: Map<number, Promise<T>>, number: number, opening: Promise<T>): void {
  opening.catch(() => opened.delete(number));
  opened.set(number, opening);
}

async function openModel(stored: StoredModel): Promise<OpenModel> {
  const memory = BatchMemory.create();
  const engine = engineOf(stored.predictor, { memory });
  return { stored, ...personaPredictor(stored, engine, memory) };
}

function jobOf(number: number): { work: PersonaWork; body: Buffer } {
  const job = jobs.get(number);
  if (job === undefined) throw new Error('the job is not open');
  return job;
}

function closeJob(number: number): void {
  const job = jobs.get(number);
  jobs.delete(number);
  if (job === undefined) return;
  free(job.body);
  job.work.close();
}

async function modelOf(number: number): Promise<OpenModel> {
  const model = await models.get(number);
  if (model === undefined) throw new Error('the model is not open');
  return model;
}

async function scored(
  input: number,
  { batch }: Pick<Extract<ServiceRequest, { kind: 'score' }>, 'batch'>,
): Promise<Answered<ServiceResult>> {
  const { result, memory = [] } = await scoreBatch(inputs.get(input), { batch });
  return { result: { kind: 'scored', scored: result }, memory };
}

async function slice({
  job,
  model,
  work,
}: Extract<ServiceRequest, { kind: 'slice' }>): Promise<Answered<ServiceResult>> {
  const predictor = await modelOf(model);
  const { work: persona, body } = jobOf(job);
  const done = persona.next({ ...predictor, work });
  // The response has begun, so the body was read.
  if (done.body !== undefined) free(body);
  return {
    result: { kind: 'slice', slice: done },
    memory: done.body === undefined ? [] : ownedBy(done.body),
  };
}

/** A problem of the request becomes a result. */
async function orRefused(respond: () => Promise<Answered<ServiceResult>>): Promise<Answered<ServiceResult>> {
  try {
    return await respond();
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    return { result: { kind: 'refused', code: error.code, detail: error.message } };
  }
}
