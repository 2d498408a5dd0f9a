import type { TestContext } from 'node:test';
import type { TrainingProgress } from '../../../src/web/training-store.ts';
import { newFolder } from '../folder.ts';
import { type OwnedPlatform, servingPlatform, signIn } from './platform.ts';
import { uploaded } from './uploaded.ts';

/** A platform with the id of its training data. */
export interface PlatformWithData extends OwnedPlatform {
  data: string;
}

export async function platformWithData(
  t: TestContext,
  csv: string | Buffer,
  name?: string,
): Promise<PlatformWithData> {
  const home = await newFolder(t);
  const data = await uploaded(home, csv, name);
  const target = await servingPlatform(t, { home });
  return { ...target, data, browser: await signIn(target) };
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
