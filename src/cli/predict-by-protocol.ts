import type { Description, Features, Predicted } from '../base/contract/schemas.ts';
import { RowcastError } from '../base/errors.ts';
import type { JobValues } from '../base/options/values/run-values.ts';
import { httpScorer } from '../client/scorer/http-scorer.ts';
import { type PersonasOf, predictFeatures } from '../library/scorers/predict-features.ts';
import { chooseProtocol } from '../library/service/choose-protocol.ts';
import { chooseService } from '../library/service/choose-service.ts';
import { withClient } from '../library/service/open-client.ts';
import { noService } from '../library/service/refuse-protocol.ts';
import type { Context } from './context.ts';
import { retryLines } from './retry-lines.ts';

export interface OnePersona
  extends Pick<JobValues, 'protocol' | 'custom' | 'timeout'>,
    Pick<PersonasOf, 'report' | 'classes' | 'types'> {
  /** The section of a definition that chooses the service. */
  defined: Readonly<Record<string, unknown>>;
}

/**
 * Asks a service of any protocol for one prediction.
 *
 * @param featuresFor the persona, once it is known what the service says about its columns
 * @throws RowcastError with the code of a rejected row, if there is no prediction
 */
export async function predictByProtocol(
  { flags, env, log }: Context,
  { report, protocol, custom, timeout, classes, types, defined }: OnePersona,
  featuresFor: (description: Description) => Features,
): Promise<Predicted> {
  const address = chooseService({ flags, env }, defined);
  if (address.kind === 'local') throw noService(protocol);
  const connecting = { values: { timeout }, env, onRetry: retryLines(log) };
  return withClient(address, chooseProtocol({ protocol, custom }), connecting, async client => {
    const scorer = httpScorer(client);
    const description = await scorer.describe(report);
    const stated = description.columns?.flatMap(({ name, type }) =>
      type === undefined ? [] : [[name, type]],
    );
    const asked = {
      report,
      personas: [featuresFor(description)],
      classes: classes ?? description.classes,
      types: { ...Object.fromEntries(stated ?? []), ...types },
    };
    const [prediction] = await predictFeatures(scorer, asked, new AbortController().signal);
    if (prediction === undefined) throw new TypeError('a persona has a prediction');
    if (!('error' in prediction)) return prediction;
    const { code, message } = prediction.error;
    throw new RowcastError(code, message, { severity: 'stopped' });
  });
}
