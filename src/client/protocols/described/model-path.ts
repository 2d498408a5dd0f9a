import type { ReadyQuestion } from '../protocol.ts';
import type { ProtocolDescription, RequestDescription } from './description.ts';

const MODEL = '{model}';

/** The path, with the query, at which a model is asked for predictions. */
export function requestPath(
  { path, otherPaths = [], query = {} }: Pick<RequestDescription, 'path' | 'otherPaths' | 'query'>,
  model: string,
): string {
  const own = otherPathOf({ otherPaths }, model)?.path ?? path;
  const values = new URLSearchParams(query).toString();
  return `${modelPath(own, model)}${values === '' ? '' : `?${values}`}`;
}

type OtherPaths = Pick<RequestDescription, 'otherPaths'>;

const otherPathOf = ({ otherPaths = [] }: OtherPaths, model: string) =>
  otherPaths.find(({ prefix }) => model.startsWith(prefix));

/** The path at which a server says whether a model is ready, if there is one. */
export function readyPath(
  { request, ready }: Pick<ProtocolDescription, 'request' | 'ready'>,
  model: string,
): string | undefined {
  const other = otherPathOf(request, model);
  return other === undefined ? ready : other.ready;
}

/** A path with the id of a model, percent-encoded except for its slashes: an id may name a version. */
export const modelPath = (path: string, model: string): string =>
  path.replaceAll(MODEL, () => model.split('/').map(encodeURIComponent).join('/'));

/** Headers with the id of a model. */
export const modelHeaders = (
  headers: Readonly<Record<string, string>>,
  model: string,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value.replaceAll(MODEL, () => model)]),
  );

/** @param path at which a server says whether it is ready, in which `{model}` stands for the id of the model */
export const readyQuestion = (path: string, model: string): ReadyQuestion => ({
  request: { method: 'GET', path: modelPath(path, model), template: path, accept: '*/*' },
  namesModel: path.includes('{model}'),
});
