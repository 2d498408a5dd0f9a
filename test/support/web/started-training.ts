import { newTimedId } from '../../../src/web/stored-json.ts';
import type { TrainingProgress, TrainingState } from '../../../src/web/training-store.ts';
import { newFolder } from '../folder.ts';
import type { Scope } from '../shared.ts';
import { allEvents, openEvents } from './events.ts';
import { type OwnedPlatform, ownedPlatform } from './platform.ts';
import { uploaded } from './uploaded.ts';

/** A platform with the id of its training data. */
export interface PlatformWithData extends OwnedPlatform {
  data: string;
}

export async function platformWithData(
  t: Scope,
  csv: string | Buffer,
  name?: string,
): Promise<PlatformWithData> {
  const home = await newFolder(t);
  const data = await uploaded(home, csv, name);
  return { ...(await ownedPlatform(t, { home })), data };
}

/** Starts a training as a module would. */
export const startTraining = (
  { browser, data }: Pick<PlatformWithData, 'browser' | 'data'>,
  fields: Record<string, unknown>,
): Promise<Response> =>
  browser.fetch('/platform/trainings', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ data, ...fields }),
  });

/** The state that a response has, or that an event had. */
export const stateIn = (value: unknown): TrainingProgress => value as TrainingProgress; // as the page gets it

export const idIn = async (response: Response): Promise<string> => stateIn(await response.json()).id;

export const columnOf = (csv: string, name: string): number =>
  csv.split('\n', 1)[0]?.split(',').indexOf(name) ?? -1;

/** The states that a training tells of, up to its last one. */
export async function statesOf({ browser }: Pick<PlatformWithData, 'browser'>, id: string) {
  const events = await allEvents(await openEvents(browser, `/platform/trainings/${id}/events`));
  return events.map(({ data }) => stateIn(data));
}

/** Trains as a module would. @returns the id, and the last state */
export async function trained(at: PlatformWithData, fields: Record<string, unknown>) {
  const id = await idIn(await startTraining(at, fields));
  return { id, last: (await statesOf(at, id)).at(-1) };
}

/** The stored state of a training, by default a running one. */
export const stateOf = (more: Partial<TrainingState> = {}): TrainingState => ({
  format: 1,
  id: newTimedId(),
  by: 'ann',
  data: { id: '0123456789abcdef', name: 'history.csv' },
  column: 'churned',
  report: 'churn',
  status: 'running',
  started_at: new Date().toISOString(),
  finished_at: null,
  problem: null,
  ...more,
});
