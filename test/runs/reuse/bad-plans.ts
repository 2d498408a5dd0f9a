import { type StubCall, send } from '../../support/stub/service.ts';

/** Rejects the rows whose plan is "bad", and predicts for all others. */
export function rejectBadPlans({ body, defaultResponse, response }: StubCall): true {
  const predictions = defaultResponse.predictions.map((prediction, index) =>
    body.personas[index]?.features.plan === 'bad'
      ? { error: { code: 'bad_plan', message: 'no such plan' } }
      : prediction,
  );
  send(response, 200, { id: body.id, predictions });
  return true;
}
