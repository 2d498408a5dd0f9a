import type { ReadyQuestion } from '../protocol.ts';
import { modelPath } from './model-path.ts';

/** @param path at which a server says whether it is ready, in which `{model}` stands for the id of the model */
export const readyQuestion = (path: string, model: string): ReadyQuestion => ({
  request: { method: 'GET', path: modelPath(path, model), template: path, accept: '*/*' },
  namesModel: path.includes('{model}'),
});
