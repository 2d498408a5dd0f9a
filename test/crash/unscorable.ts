import { type StubCall, send } from '../support/stub/service.ts';

/** Some rows at regular intervals cannot be scored, for various reasons, and neither can the first and the last one. */
const every = (rows: number, from: number) => (row: number) => row % rows === from;
const isShort = every(331, 0);
const isMisquoted = every(337, 18);
const isNotUtf8 = every(347, 19);
const isRefused = every(1499, 20);
const isMalformed = every(1501, 21);
const hasError = every(101, 22);
const isImprobable = every(103, 23);

/** A row of id, plan and note, valid or malformed. It is written as latin1. */
export function recordOf(row: number, plan: string, note: string): string {
  if (isShort(row)) return `${row},${plan}`;
  if (isMisquoted(row)) return `${row},"${plan}" so to say,${note}`;
  if (isNotUtf8(row)) return `${row},${plan},\xff${note}`;
  return `${row},${plan},${note}`;
}

/** The object of a row, or what is left of it. It is written as latin1. */
export function brokenAt(row: number, object: string): string {
  if (isShort(row)) return object.slice(0, -1);
  if (isMisquoted(row)) return object.replace('{', '{"id":0,');
  if (isNotUtf8(row)) return object.replace('"plan":"', '"plan":"\xff');
  return object;
}

/** Whether a row is not sent, or rejected together with the others of its request. */
export const isUnscorable = (row: number): boolean =>
  [isShort, isMisquoted, isNotUtf8, isRefused, isMalformed].some(applies => applies(row));

/** Responds like a service that rejects some rows, depending only on their ids, so that responses are repeatable. */
export function rejectSome({ body, defaultResponse, response }: StubCall): void {
  const ids = body.personas.map(({ features }) => Number(features.id));
  if (ids.some(isRefused))
    send(response, 422, { code: 'not_a_persona', detail: 'this plan, say, is not known' });
  else if (ids.some(isMalformed)) send(response, 400, 'no such row');
  else {
    const predictions = defaultResponse.predictions.map((prediction, index) => {
      const id = ids[index] ?? 0;
      if (hasError(id)) return { error: { code: 'too_old', message: `row ${id} is too old` } };
      return isImprobable(id) ? { probabilities: { no: 0.9, yes: 0.9 } } : prediction;
    });
    send(response, 200, { ...defaultResponse, predictions });
  }
}
