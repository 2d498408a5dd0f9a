import { readFileSync } from 'node:fs';

/** The version in package.json, which is installed with the program. */
export function readVersion(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  return String(JSON.parse(text).version);
}
