import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelServer } from './running-server.ts';

/** A run with a server. */
export interface RunWithServer {
  /** A folder for the definition and the output, scored.csv. */
  folder: string;
  input: string;
  url: string;
  /** More keys of `score`. */
  score: object;
}

/** @returns the path of a definition that scores with the server */
export async function writeDefinition(
  server: Pick<ModelServer, 'service' | 'score'>,
  { folder, input, url, score }: RunWithServer,
): Promise<string> {
  const definition = join(folder, 'score.yaml');
  const usual = { url, auth: 'none', 'batch-rows': 500, 'max-outage': '3m' };
  const columns = { 'exclude-features': ['customer', 'note'], classes: ['no', 'yes'], nulls: [' '] };
  const output = join(folder, 'scored.csv');
  const content = {
    service: { ...usual, ...server.service },
    score: { input, output, ...columns, ...server.score, ...score },
  };
  await writeFile(definition, JSON.stringify(content));
  return definition;
}
