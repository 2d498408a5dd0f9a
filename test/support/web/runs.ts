import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoredProgress } from '../../../src/web/runs/stored-run.ts';
import type { SignedIn } from './platform.ts';

/** What a run is asked to do; by default, to score `personas.csv` with the report "one". */
export interface RunOrder {
  report?: string;
  file?: string;
  delimiter?: string | undefined;
}

/** The state of a run in a response or an event. */
export const progressIn = (value: unknown): StoredProgress => value as StoredProgress; // as the page gets it

/** Asks for a run, whose file is sent then. */
export const createRun = (
  browser: SignedIn,
  { report = 'one', file = 'personas.csv', delimiter }: RunOrder = {},
): Promise<Response> =>
  browser.fetch('/platform/runs', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ report, file, delimiter }),
  });

/** Creates a run, which waits for its file. @returns its id */
export async function createdRun(browser: SignedIn, order?: RunOrder): Promise<string> {
  const response = await createRun(browser, order);
  assert.equal(response.status, 201, await response.clone().text());
  return progressIn(await response.json()).id;
}

/** Sends the file of a run. */
export const sendInput = (browser: SignedIn, id: string, body: string | Buffer): Promise<Response> =>
  browser.fetch(`/platform/runs/${id}/input`, {
    method: 'PUT',
    headers: { 'content-type': 'application/octet-stream' },
    body,
  });

/** Scores a file. @returns the run when it has ended */
export async function scoredRun(
  browser: SignedIn,
  body: string | Buffer,
  order?: RunOrder,
): Promise<StoredProgress> {
  const id = await createdRun(browser, order);
  return progressIn(await (await sendInput(browser, id, body)).json());
}

/** The files in the folder of a run, in order; none if it is not there. */
export const filesOfRun = async ({ home }: { home: string }, id: string): Promise<string[]> =>
  (await readdir(join(home, 'runs', id)).catch((): string[] => [])).sort();
