import { schemeOf } from '../../base/scheme.ts';
import { type Backends, resolveTarget } from '../../storage/backends.ts';
import type { Files } from '../../storage/durable-files.ts';
import type { DurableOutput } from '../../storage/durable-output.ts';
import { LocalOutput } from '../../storage/local/local-output.ts';

/** Whether the parts of a run are objects, which are complete or not there, and cannot be copied while they are written. */
export const isStored = (name: string): boolean => schemeOf(name) !== undefined;

/** The part of an attempt as an output. @param files those of parts that are files */
export async function partOutput(
  path: string,
  among: Backends | undefined,
  files?: Files,
): Promise<DurableOutput> {
  if (!isStored(path)) return new LocalOutput(path, files && { files });
  const { durable } = await resolveTarget(path, false, among);
  if (durable === undefined) throw new TypeError(`partOutput: ${path} is no object`);
  return durable;
}
